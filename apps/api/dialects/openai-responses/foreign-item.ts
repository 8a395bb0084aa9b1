import { textMessage, type Message } from '#calls/hosted/port.js';
import { foreignText } from '../shared/foreign-text.js';

/** Items that only the API which made them can read: offers of tools, approvals, pictures, settings, summaries. */
const UNREADABLE =
  /^(?:mcp_list_tools|mcp_approval_\w+|tool_search_\w+|image_generation_call|computer_call_output|configuration_update|compaction_\w+|\w+_(?:compaction|snapshot))$/;

/** Tells in a text what a tool that ran elsewhere was asked, or found. null: the item holds nothing to read. */
export function foreignItem(item: { readonly type: string }): Message | null {
  const { type } = item;
  const text = UNREADABLE.test(type) ? null : foreignText(item);
  return text === null ? null : textMessage(type.endsWith('_output') ? 'user' : 'assistant', text);
}
