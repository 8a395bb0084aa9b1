/** Texts in their order, in groups of about so many characters; a text of its own size alone where it is larger. */
export function bySize(texts: readonly string[], characters: number): readonly string[][] {
  const groups: string[][] = [];
  let room = 0;
  for (const text of texts) {
    room -= text.length;
    if (room < 0 || groups.length === 0) {
      groups.push([]);
      room = characters - text.length;
    }
    groups.at(-1)!.push(text);
  }
  return groups;
}
