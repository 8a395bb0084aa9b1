import type { ContentPart, Message } from '../port.js';

/**
 * Tool results are text in this style. Images, documents and sounds in them are moved after the results of their turn,
 * into a user message.
 */
export function withMediaAfterResults(messages: readonly Message[]): readonly Message[] {
  const moved: Message[] = [];
  let media: readonly ContentPart[] = [];
  for (const message of messages) {
    const { role, content } = message;
    const results = content.filter((part) => part.type === 'tool-result');
    const others = content.filter((part) => part.type !== 'tool-result');
    media = [...media, ...results.flatMap((result) => result.content.filter(isMedium))];
    const texts = results.map((result) => ({ ...result, content: result.content.map(pointer) }));
    if (media.length === 0 || others.length === 0) moved.push({ ...message, content: [...texts, ...others] });
    else {
      const isUsers = role === 'user' || role === 'tool';
      if (!isUsers) moved.push({ role: 'user', content: media });
      moved.push({ ...message, content: [...texts, ...(isUsers ? media : []), ...others] });
      media = [];
    }
  }
  return media.length > 0 ? [...moved, { role: 'user', content: media }] : moved;
}

const isMedium = ({ type }: ContentPart): boolean => type === 'image' || type === 'document' || type === 'audio';

const pointer = (part: ContentPart): ContentPart =>
  isMedium(part) ? { type: 'text', text: `(The ${part.type} is in the next message.)` } : part;
