const NAMES = ['Anna', 'Boris', 'Chen', 'Dora', 'Emil', 'Fatima', 'Goran', 'Hana'];
const CITIES = ['Paris', 'Lima', 'Oslo', 'Cairo', 'Kyiv', 'Quito', 'Rome'];

/** Rows with entities and a class that are soon learned, as JSONL. */
export function trips(count: number): string {
  return Array.from({ length: count }, (_, row) => {
    const [name, city] = [NAMES[row % NAMES.length]!, CITIES[row % CITIES.length]!];
    const text = row % 2 ? `${name} wants to fly to ${city}` : `please book ${city} for ${name}`;
    const entities = [
      [name, 'traveller'],
      [city, 'destination'],
    ];
    return `${JSON.stringify({ text, entities, label: row % 2 ? 'travel' : 'booking' })}\n`;
  }).join('');
}
