/** The lines of a file, read in slices: memory is bounded by the longest line. @param onRead is called with the bytes read so far */
export async function* linesOf(file: Blob, onRead: (bytes: number) => void): AsyncGenerator<string> {
  const reader = file.stream().getReader();
  const decoder = new TextDecoder();
  let [rest, read] = ['', 0];
  for (let slice = await reader.read(); !slice.done; slice = await reader.read()) {
    read += slice.value.length;
    const lines = (rest + decoder.decode(slice.value, { stream: true })).split('\n');
    rest = lines.pop()!;
    for (const line of lines) yield line.replace(/\r$/, '');
    onRead(read);
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}
