import { upcaster } from '../upcaster.js';
import type { CallContent, CallContentBody, CallContentObject, ContentSummary } from './events.js';

type Unsummarised = Omit<CallContentObject, 'summary'> & { readonly summary?: ContentSummary };
type OlderContent = Omit<CallContent['data'], 'content'> & { readonly content: CallContentBody | Unsummarised };

/** Replaces content that only its object has: nothing is shown, and everything counts as cut. */
const UNKNOWN: ContentSummary = { input: null, output: null, errorMessage: null, truncated: ['input', 'output'] };

export const inferenceUpcasters = [
  // The first releases that kept large content in objects wrote no summary beside them.
  upcaster<OlderContent, CallContent>('call-content.v1', 'call-content.v1', (data) =>
    'objectKey' in data.content && !data.content.summary
      ? { ...data, content: { ...(data.content as CallContentObject), summary: UNKNOWN } }
      : (data as CallContent['data']),
  ),
];
