import type { FinishedJob, TrainingRequest } from '#domain/training-job/index.js';
import { trainedCard } from './card.js';

const pin = { name: 'tickets <b>', versionNumber: 2, rows: 60, object: { key: 'k', size: 1, sha256: 'dd' } };
const request = {
  ...{ jobId: 'j', baseModel: { id: 'ada/chat', sha256: 'aa' }, engine: { name: 'torch', version: '3' } },
  ...{ startFrom: null, taskType: 'decoder', datasets: [pin], configuration: { trainingType: 'lora', epochs: 2 } },
} as unknown as TrainingRequest;
const metrics = (counts: object) =>
  ({ f1: null, bestValidationLoss: 0.5, finalTrainingLoss: 0.25, ...counts }) as FinishedJob['metrics'];

describe('the card of a trained model', () => {
  it('counts the rows that were learned, and not those that were held out or excluded', () => {
    const card = trainedCard(request, metrics({ judgedRows: 5, excludedRows: 1 }));
    expect(card).toContain('on 54 of 60 rows of chats.');
    expect(card).toContain('On 5 held-out rows.');
    expect(card).toContain('| validation loss, in nats | 0.5000 |');
    expect(card).not.toContain('F1');
    expect(trainedCard(request, metrics({ judgedRows: 0, excludedRows: 0 }))).toContain('on 60 rows of chats.');
    expect(trainedCard(request, metrics({ judgedRows: null }))).toContain('on some of 60 rows of chats.');
  });

  it('has a head that hubs read, and names as plain text', () => {
    const card = trainedCard(request, metrics({ judgedRows: 5 }));
    expect(card).toMatch(/^---\nlibrary_name: "peft"\nbase_model: "ada\/chat"\n/);
    expect(card).toContain('- "tickets-b"');
    expect(card).toContain('tickets \\<b\\>');
  });
});
