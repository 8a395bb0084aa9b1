import type { Example } from '../../engine.js';
import { writeArtifact } from '../artifact/index.js';
import { trainBaseTagger } from '#tools/base-model/base-training.js';
import { buildGazetteer } from '../features/gazetteer.js';

const cities = ['Berlin', 'Paris', 'Madrid', 'Oslo', 'Lima', 'Rome'];
const people = ['Anna', 'Bob', 'Clara', 'David', 'Elena', 'Frank'];

/** Writes a base model that knows six cities and six first names, for tests. */
export function writeTinyBase(directory: string): void {
  const examples: Example[] = [];
  for (const city of cities)
    for (const person of people) {
      const text = `${person} lives in ${city} now`;
      const start = text.indexOf(city);
      examples.push({
        text,
        entities: [
          { start: 0, end: person.length, label: 'person' },
          { start, end: start + city.length, label: 'city' },
        ],
      });
    }
  const gazetteer = buildGazetteer([
    { name: 'city', phrases: cities },
    { name: 'person', phrases: people },
  ]);
  const state = trainBaseTagger(examples, {
    gazetteer,
    types: ['person', 'city'],
    seed: 1,
    epochs: 8,
    minimumCount: 1,
  });
  writeArtifact(directory, { kind: 'base', id: 'test/tiny', heads: { entities: state } });
}
