import { upcaster } from '../upcaster.js';
import type { CallContent, CallContentBody, CallContentObject, ContentSummary } from './events.js';

type Unsummarised = Omit<CallContentObject, 'summary'> & { readonly summary?: ContentSummary };
type OlderContent = Omit<CallContent['data'], 'content'> & { readonly content: CallContentBody | Unsummarised };

/** Replaces content that only its object has: nothing is shown, and everything counts as cut. */
const UNKNOWN: ContentSummary = { input: null, output: null, errorMessage: null, truncated: ['input', 'output'] };

export const inferenceUpcasters = [
  // Older events with their content in an object have no summary of it.
  upcaster<OlderContent, CallContent>('call-content.v1', 'call-content.v1', (data) =>
    'objectKey' in data.content && !data.content.summary
      ? { ...data, content: { ...(data.content as CallContentObject), summary: UNKNOWN } }
      : (data as CallContent['data']),
  ),
];
