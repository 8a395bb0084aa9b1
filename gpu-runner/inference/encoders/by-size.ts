/** Texts in their order, in groups of about so many characters; a text of its own size alone where it is larger. */
export function bySize(
  texts: readonly string[],
  characters: number,
  sizeOf: (text: string) => number = ({ length }) => length,
): readonly string[][] {
  const groups: string[][] = [];
  let room = 0;
  for (const text of texts) {
    const size = sizeOf(text);
    room -= size;
    if (room < 0 || groups.length === 0) {
      groups.push([]);
      room = characters - size;
    }
    groups.at(-1)!.push(text);
  }
  return groups;
}
