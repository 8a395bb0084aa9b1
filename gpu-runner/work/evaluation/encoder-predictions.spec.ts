import type { LoadedEncoder } from '#gpu-runner/engines/encoder-engine.js';
import type { Example, InferRequest, InferResult, ModelAbilities } from '#gpu-runner/engines/engine.js';
import { encoderPredictions } from './encoder-predictions.js';

const UNTRAINED: ModelAbilities = { entityLabels: null, classLabels: null, multiLabel: false };
const signal = new AbortController().signal;

/** An encoder with such abilities, and the requests that it had. */
function encoder(abilities: ModelAbilities, answer: (text: string) => Omit<InferResult, 'truncated'>) {
  const requests: InferRequest[] = [];
  const model = {
    abilities,
    async infer(request: InferRequest) {
      requests.push(request);
      const results = request.texts.map((text) => ({ ...answer(text), truncated: false }));
      return { results, warnings: [], inputTokens: [] };
    },
  } as unknown as LoadedEncoder;
  return { requests, model };
}
const predict = (model: LoadedEncoder, examples: readonly Example[]) =>
  encoderPredictions(model, examples, () => undefined, signal);

describe("predictions in an encoder's evaluation", () => {
  it('are requested for the labels of the rows and of the model, and only for the heads of each row', async () => {
    const { model, requests } = encoder(
      { entityLabels: ['city', 'person'], classLabels: ['b', 'a'], multiLabel: true, relations: ['met'] },
      () => ({ entities: {}, classifications: { classification: [] } }),
    );
    await predict(model, [
      {
        text: 'x y',
        entities: [
          { start: 0, end: 1, label: 'date' },
          { start: 2, end: 3, label: 'City' },
        ],
      },
      { text: 'y', labels: ['a', 'c'] },
      { text: 'z', entities: [] },
    ]);
    expect(requests).toEqual([
      {
        ...{ texts: ['x y', 'z'], threshold: null },
        schema: { entities: [{ name: 'City' }, { name: 'date' }, { name: 'person' }] },
      },
      {
        ...{ texts: ['y'], threshold: null },
        schema: { classifications: [{ task: 'classification', labels: ['a', 'b'], multiLabel: true }] },
      },
    ]);
  });

  it('of a model that learned none of the classes choose among those of the rows', async () => {
    const { model, requests } = encoder({ ...UNTRAINED, classLabels: ['x'] }, () => ({}));
    await predict(model, [
      { text: '1', labels: ['b'] },
      { text: '2', labels: ['a'] },
    ]);
    expect(requests[0]!.schema.classifications).toEqual([
      { task: 'classification', labels: ['a', 'b'], multiLabel: false },
    ]);
  });

  it("may overlap if the rows' spans do", async () => {
    const { model, requests } = encoder(UNTRAINED, () => ({}));
    const spans = [
      { start: 0, end: 9, label: 'club' },
      { start: 0, end: 4, label: 'city' },
    ];
    await predict(model, [{ text: 'Lima Club', entities: spans }]);
    expect(requests[0]!.schema.flatNer).toBe(false);
  });

  it('list entities in the order of the text, with their confidences', async () => {
    const hit = (start: number, label: string, confidence: number) => ({
      start,
      end: start + 1,
      label,
      text: '',
      confidence,
    });
    const { model } = encoder(UNTRAINED, () => ({ entities: { b: [hit(3, 'b', 0.7)], a: [hit(1, 'a', 0.9)] } }));
    expect(await predict(model, [{ text: 'xaxb', entities: [{ start: 1, end: 2, label: 'a' }] }])).toEqual([
      {
        text: 'xaxb',
        entities: [
          { start: 1, end: 2, label: 'a' },
          { start: 3, end: 4, label: 'b' },
        ],
        entityConfidences: [0.9, 0.7],
      },
    ]);
  });

  it('contain the records and relations of the text', async () => {
    const text = 'Lima Oslo Riga';
    const at = (start: number, end: number, said = text.slice(start, end)) => ({
      start,
      end,
      text: said,
      confidence: 0.8,
    });
    const { model, requests } = encoder(UNTRAINED, () => ({
      structures: {
        trip: [
          {
            to: [at(0, 4)],
            stops: [at(5, 9), at(10, 14)],
            kind: [{ text: 'fast', confidence: 1 }],
            by: [at(0, 4, 'air')],
          },
        ],
      },
      relations: { near: [{ head: at(0, 4), tail: at(5, 9) }] },
    }));
    const gold: Example = {
      text,
      structures: [{ name: 'trip', fields: [{ name: 'to', isList: false, values: [{ start: 0, end: 4 }] }] }],
      relations: [{ name: 'near', head: { start: 0, end: 4 }, tail: { start: 5, end: 9 } }],
    };
    expect(await predict(model, [gold])).toEqual([
      {
        text,
        structures: [
          {
            name: 'trip',
            fields: [
              { name: 'to', isList: false, values: [{ start: 0, end: 4 }] },
              {
                ...{ name: 'stops', isList: true },
                values: [
                  { start: 5, end: 9 },
                  { start: 10, end: 14 },
                ],
              },
              { name: 'kind', isList: false, values: [], choices: ['fast'] },
              { name: 'by', isList: false, values: [{ start: 0, end: 4, choice: 'air' }] },
            ],
          },
        ],
        relations: [{ name: 'near', head: { start: 0, end: 4 }, tail: { start: 5, end: 9 } }],
      },
    ]);
    expect(requests[0]!.schema).toEqual({
      structures: [{ name: 'trip', fields: [{ name: 'to', dtype: 'str' }] }],
      relations: [{ name: 'near' }],
    });
  });

  it('of rows labelled with nothing are empty without a call', async () => {
    const { model, requests } = encoder(UNTRAINED, () => ({}));
    expect(await predict(model, [{ text: 'x', relations: [] }])).toEqual([{ text: 'x', relations: [] }]);
    expect(requests).toEqual([]);
  });
});
