/** Lines, one of which is another. @param number from 1 @param line null: it is left out */
export function replaceLine(text: string, number: number, line: string | null): string {
  const lines = text.split('\n');
  lines.splice(number - 1, 1, ...(line === null ? [] : [line]));
  return lines.join('\n');
}
