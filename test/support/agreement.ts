import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { startTestApi } from './api.js';

/** Bodies of a route, of which many are valid and many nearly so, for its decoder and for its schema in the document. */
export interface Agreement {
  /** After "the document describes exactly what is taken". */
  readonly title: string;
  /** Of the OpenAPI document. */
  readonly schema: string;
  readonly bodies: fc.Arbitrary<unknown>;
  readonly decode: (body: unknown) => unknown;
  /** How many bodies; default 3,000. */
  readonly runs?: number;
}

/** Decoders are written by hand, and classes describe the routes: generated bodies hold the two together. */
export function describeAgreement(agreements: readonly Agreement[]): void {
  describe('the document describes exactly what is taken', () => {
    let documented: (schema: string) => (body: unknown) => boolean;
    beforeAll(async () => {
      const api = await startTestApi();
      const { body: document } = await api.call('GET', '/openapi.json');
      await api.close();
      const ajv = new Ajv2020({ strict: false });
      ajv.addSchema({ $id: 'doc', components: document.components });
      documented = (schema) => ajv.compile({ $ref: `doc#/components/schemas/${schema}` });
    });

    test.each(agreements.map((agreement) => [agreement.title, agreement] as const))('%s', (_, agreement) => {
      const { schema, bodies, decode, runs: numRuns = 3_000 } = agreement;
      const isDocumented = documented(schema);
      const outcomes = { taken: 0, refused: 0 };
      fc.assert(
        fc.property(bodies, (body) => {
          const isTaken = takes(decode, body);
          outcomes[isTaken ? 'taken' : 'refused'] += 1;
          expect([JSON.stringify(body), isDocumented(body)]).toEqual([JSON.stringify(body), isTaken]);
        }),
        { numRuns },
      );
      expect(Math.min(outcomes.taken, outcomes.refused)).toBeGreaterThan(numRuns / 20);
    });
  });
}

/** Whatever is wrong with a body is told as such. */
function takes(decode: Agreement['decode'], body: unknown): boolean {
  try {
    decode(body);
    return true;
  } catch (error) {
    expect((error as Error).name).toBe('InvalidError');
    return false;
  }
}
