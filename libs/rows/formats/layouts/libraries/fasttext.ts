import type { Json } from '#domain/json.js';
import type { Layout } from '../layout.js';

/** Lines of fastText, whose file has been cut into a text and its labels. */
export const fastText: Layout = {
  name: 'fasttext',
  title: 'fastText',
  unit: 'lines',
  toolKeys: /^/,
  offsets: 'code points',
  needs: [
    { what: 'a text', holds: ({ text }) => typeof text === 'string' },
    { what: 'words that begin with __label__', holds: ({ fasttext }) => Array.isArray(fasttext) },
  ],
  read({ text, fasttext }, context) {
    const labels = fasttext as readonly Json[] as readonly string[];
    if (labels.length > 0) return [{ text: text!, ...context.classes('__label__', labels) }];
    // fastText passes over them, too.
    context.leaveUnlabelled('without a class');
    return [];
  },
};
