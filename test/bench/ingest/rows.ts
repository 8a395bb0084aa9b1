import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const FIRST = ['Ada', 'Grace', 'Alan', 'Zoë', 'Linus', 'Edsger', 'Barbara', 'Donald', 'Margaret', 'Ken'];
const LAST = ['Lovelace', 'Hopper', 'Turing', 'Torvalds', 'Dijkstra', 'Liskov', 'Knuth', 'Hamilton'];
const CITIES = ['Paris', 'London', 'Malmö', 'New York', 'Berlin', 'Tokyo', 'Oslo'];
const COMPANIES = ['Acme', 'Initech', 'Globex', 'Umbrella Ltd', 'Stark Industries'];

/** Writes rows of a sentence with three entities each, the same ones each time, as JSONL. */
export async function writeRows(path: string, count: number): Promise<void> {
  await pipeline(Readable.from(parts(count)), createWriteStream(path));
}

function* parts(count: number): Generator<string> {
  let state = 1;
  const pick = (most: number) => ((state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff) >> 8) % most;
  const of = (list: readonly string[]) => list[pick(list.length)] ?? '';
  let part = '';
  for (let row = 0; row < count; row += 1) {
    const person = `${of(FIRST)} ${of(LAST)}`;
    const [city, company] = [of(CITIES), of(COMPANIES)];
    const text = `${person} of ${company} opened ticket ${row} from ${city} about invoice ${pick(100_000)} that never arrived.`;
    const entities = [
      [person, 'person'],
      [company, 'company'],
      [city, 'city'],
    ];
    part += `${JSON.stringify({ text, entities })}\n`;
    if (part.length < 1 << 20) continue;
    yield part;
    part = '';
  }
  yield part;
}
