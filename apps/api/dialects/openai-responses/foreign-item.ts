import { textMessage, type Message } from '#calls/hosted/port.js';

/** Fields that identify an item. The others say what its tool was asked, or found. */
const OF_ITSELF = new Set(['id', 'type', 'status', 'created_by', 'call_id', 'approval_request_id', 'environment']);
/** Items that only the API which made them can read: offers of tools, approvals, pictures. */
const UNREADABLE = /^(?:mcp_list_tools|mcp_approval_\w+|tool_search_\w+|image_generation_call|computer_call_output)$/;
/** A longer one is cut. */
const MAX_CHARACTERS = 20_000;

/** Tells in a text what a tool that ran elsewhere was asked, or found. null: the item holds nothing to read. */
export function foreignItem(item: { readonly type: string }): Message | null {
  const { type } = item;
  if (UNREADABLE.test(type)) return null;
  const said = Object.entries(item).filter(([name, value]) => !OF_ITSELF.has(name) && value !== null);
  if (said.length === 0) return null;
  const text = `${type} ${JSON.stringify(Object.fromEntries(said))}`;
  const shown = text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}...` : text;
  return textMessage(type.endsWith('_output') ? 'user' : 'assistant', shown.toWellFormed());
}
