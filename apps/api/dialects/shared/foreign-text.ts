/** Fields that identify a call, or that its provider alone can read. The others say what its tool was asked, or found. */
const OF_ITSELF =
  /^(?:id|type|status|created_by|call_id|tool_use_id|caller|approval_request_id|environment|cache_control|encrypted_\w+)$/;
/** A longer one is cut. */
const MAX_CHARACTERS = 20_000;

/** Tells in a text what a tool that ran elsewhere was asked, or found. null: it holds nothing to read. */
export function foreignText(item: { readonly type: string }): string | null {
  const said = Object.entries(item).filter(([name, value]) => !OF_ITSELF.test(name) && value !== null);
  if (said.length === 0) return null;
  const shown = JSON.stringify(Object.fromEntries(said), (name, value: unknown) =>
    name.startsWith('encrypted_') ? undefined : value,
  );
  const text = `${item.type} ${shown}`;
  return (text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}...` : text).toWellFormed();
}
