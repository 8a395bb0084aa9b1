const PEOPLE = ['Ann', 'Bob', 'Chen', 'Dora', 'Emil', 'Fatima', 'Goran', 'Hana', 'Ivo', 'Jun', 'Kira'];
const FIRMS = ['Acme', 'Globex', 'Initech', 'Hooli', 'Umbrella', 'Stark'];
const CITIES = ['Rome', 'Oslo', 'Lima', 'Kyiv', 'Cairo', 'Quito', 'Paris'];

/**
 * Rows with the relations `works for` (a person, a firm) and `based in` (a firm, a city) that are soon learned, as JSONL: in either
 * direction, several in one text, and the same names without any relation.
 * @param seed of the first row's values @param entities whether rows have their entities too
 */
export function staff(count: number, { seed = 0, entities = false } = {}): string {
  return Array.from({ length: count }, (_, row) => {
    const { entities: spans, text, relations } = staffRow(seed + row);
    const labelled = { text: row % 3 === 0 ? `😀 ${text}` : text, relations };
    return `${JSON.stringify(entities ? { ...labelled, entities: spans } : labelled)}\n`;
  }).join('');
}

function staffRow(row: number) {
  const [a, b] = [PEOPLE[row % PEOPLE.length]!, PEOPLE[(3 * row + 1) % PEOPLE.length]!];
  const [firm, other] = [FIRMS[row % FIRMS.length]!, FIRMS[(row + 2) % FIRMS.length]!];
  const city = CITIES[row % CITIES.length]!;
  const works = (head: string, tail: string) => ({ 'works for': { head, tail } });
  const based = (head: string, tail: string) => ({ 'based in': { head, tail } });
  const person = (name: string) => [name, 'person'];
  const company = (name: string) => [name, 'company'];
  const place = [city, 'city'];
  switch (row % 5) {
    case 0:
      return {
        text: `${a} works for ${firm}, which is based in ${city}.`,
        entities: [person(a), company(firm), place],
        relations: [works(a, firm), based(firm, city)],
      };
    case 1:
      return {
        text: `${firm} of ${city} employs ${a}.`,
        entities: [company(firm), place, person(a)],
        relations: [works(a, firm), based(firm, city)],
      };
    case 2:
      return {
        text: `${a} works for ${firm} and ${b === a ? 'Zoe' : b} works for ${other}.`,
        entities: [person(a), company(firm), person(b === a ? 'Zoe' : b), company(other)],
        relations: [works(a, firm), works(b === a ? 'Zoe' : b, other)],
      };
    case 3:
      return { text: `${a} never heard of ${firm}.`, entities: [person(a), company(firm)], relations: [] };
    default:
      return {
        text: `${firm} is based in ${city}, but ${a} left ${other}.`,
        entities: [company(firm), place, person(a), company(other)],
        relations: [based(firm, city)],
      };
  }
}
