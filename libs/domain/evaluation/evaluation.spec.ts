import type { LossCause } from '../training-job/index.js';
import { given } from '#test/support/given.js';
import {
  evaluationDecider,
  MAX_EVALUATION_ATTEMPTS_IN_VAIN,
  type EvaluationEvent,
  type EvaluationRequest,
} from './index.js';

const evaluationId = 'e1';
const request: EvaluationRequest = {
  evaluationId,
  workspaceId: 'w1',
  userId: 'u1',
  model: { id: 'anneal/base', baseModel: { id: 'anneal/base', sha256: 'aa' }, adapter: null },
  engine: { name: 'builtin', version: '1' },
  datasets: [
    {
      name: 'd',
      versionId: 'v',
      versionNumber: 1,
      object: { key: 'k', size: 1, sha256: 'bb' },
      rows: 10,
      heads: ['entities'],
    },
  ],
  heldOut: null,
  maxExamples: null,
  projectId: null,
  automatic: false,
  trainingJobId: null,
};
const requested: EvaluationEvent = { type: 'evaluation-requested.v1', data: { ...request, requestedAt: given.now } };
const claimed = (attempt: number, runnerId = 'r1'): EvaluationEvent => ({
  type: 'evaluation-attempt-claimed.v1',
  data: { evaluationId, attempt, runnerId, claimedAt: given.now },
});
const lost = (attempt: number, cause: LossCause = 'child'): EvaluationEvent => ({
  type: 'evaluation-attempt-lost.v1',
  data: { evaluationId, attempt, reason: 'silent', cause, lostAt: given.now },
});
const outcome = {
  metrics: { f1: 1, precision: 1, recall: 1, macroF1: 1, accuracy: 1, perLabel: {}, heads: {} },
  sampleCount: 10,
  predictions: { name: 'predictions.jsonl', objectKey: 'k', sha256: 'cc', size: 1 },
};
const completed: EvaluationEvent = {
  type: 'evaluation-completed.v1',
  data: { evaluationId, attempt: 1, ...outcome, completedAt: given.now },
};
const claim = (attempt: number, runnerId = 'r1') =>
  ({ type: 'claim-evaluation-attempt', evaluationId, attempt, runnerId }) as const;
const complete = (attempt: number) => ({ type: 'complete-evaluation', evaluationId, attempt, ...outcome }) as const;
const lose = (attempt: number, cause: LossCause = 'child') =>
  ({ type: 'lose-evaluation-attempt', evaluationId, attempt, reason: 'silent', cause }) as const;
const remove = { type: 'delete-evaluation', evaluationId, workspaceId: 'w1' } as const;
const evaluation = (...past: EvaluationEvent[]) => given(evaluationDecider, past);

describe('an evaluation', () => {
  it('is requested once, and claimed by one runner', () => {
    evaluation()
      .when({ type: 'request-evaluation', ...request })
      .then([requested]);
    evaluation(requested)
      .when(claim(1))
      .then([claimed(1)]);
    evaluation(requested, claimed(1)).when(claim(1, 'r2')).thenRefused('conflict');
    evaluation(requested, claimed(1), completed).when(claim(1)).thenRefused('conflict');
  });

  it('completes once, by the attempt that holds it', () => {
    evaluation(requested, claimed(1)).when(complete(1)).then([completed]);
    evaluation(requested, claimed(1), lost(1)).when(complete(1)).then([]);
    evaluation(requested, claimed(1), completed).when(lose(1)).then([]);
  });

  it('does not count attempts that were lost to the runner or to storage, up to 40 in all', () => {
    const past = (causes: readonly LossCause[]) => [
      requested,
      ...causes.flatMap((cause, index) => [claimed(index + 1), lost(index + 1, cause)]),
      claimed(causes.length + 1),
    ];
    const causes = Array.from({ length: 38 }, (_, index) => (index % 2 === 0 ? 'runner' : 'storage'));
    evaluation(...past(causes))
      .when(lose(39, 'runner'))
      .then([lost(39, 'runner')]);
    const failed = {
      type: 'evaluation-failed.v1',
      data: {
        evaluationId,
        reason: 'The evaluation was interrupted 40 times; the last time: silent',
        failedAt: given.now,
      },
    } as const;
    evaluation(...past([...causes, 'runner']))
      .when(lose(40, 'runner'))
      .then([lost(40, 'runner'), failed]);
  });

  it('fails when its attempts are lost too often', () => {
    const attempts = Array.from({ length: MAX_EVALUATION_ATTEMPTS_IN_VAIN - 1 }, (_, index) => index + 1);
    const past = [requested, ...attempts.flatMap((attempt) => [claimed(attempt), lost(attempt)])];
    evaluation(...past.slice(0, -1))
      .when(lose(MAX_EVALUATION_ATTEMPTS_IN_VAIN - 1))
      .then([lost(MAX_EVALUATION_ATTEMPTS_IN_VAIN - 1)]);
    evaluation(...past, claimed(MAX_EVALUATION_ATTEMPTS_IN_VAIN))
      .when(lose(MAX_EVALUATION_ATTEMPTS_IN_VAIN))
      .then([
        lost(MAX_EVALUATION_ATTEMPTS_IN_VAIN),
        {
          type: 'evaluation-failed.v1',
          data: {
            evaluationId,
            reason: 'The evaluation was interrupted 5 times; the last time: silent',
            failedAt: given.now,
          },
        },
      ]);
  });

  it('of a hosted model is answered by a worker, and then claimed by a runner', () => {
    const answers = { objectKey: 'a', sha256: 'dd', size: 5 };
    const usage = { calls: 10, inputTokens: 1, outputTokens: 1, costPicodollars: '7' };
    const answered: EvaluationEvent = {
      type: 'evaluation-answered.v1',
      data: { evaluationId, attempt: 1, answers, usage, answeredAt: given.now },
    };
    const record = { type: 'record-answers', evaluationId, attempt: 1, answers, usage } as const;
    evaluation(requested, claimed(1, 'worker')).when(record).then([answered]);
    evaluation(requested, claimed(1), lost(1)).when(record).then([]);
    const past = [requested, claimed(1, 'worker'), answered];
    evaluation(...past)
      .when(complete(1))
      .then([]);
    evaluation(...past)
      .when(claim(2))
      .then([claimed(2)]);
    evaluation(...past, claimed(2))
      .when(complete(2))
      .then([{ ...completed, data: { ...completed.data, attempt: 2 } }]);
  });

  it('with a judge is graded by a worker before a runner computes the figures, and skips no step', () => {
    const judge = {
      requestedBy: { kind: 'key', teamId: 't1', keyId: null },
      ...{ maxCostPicodollars: null, modelId: 'acme/chat', provider: 'acme', model: 'chat', rubric: 'Is right.' },
      promptVersion: 1,
    } as const;
    const asked: EvaluationEvent = { ...requested, data: { ...requested.data, judge } };
    const answers = { objectKey: 'a', sha256: 'dd', size: 5 };
    const usage = { calls: 10, inputTokens: 1, outputTokens: 1, costPicodollars: '7' };
    const answered: EvaluationEvent = {
      type: 'evaluation-answered.v1',
      data: { evaluationId, attempt: 1, answers, usage: null, awaitsJudge: true, answeredAt: given.now },
    };
    const verdicts = { objectKey: 'v', sha256: 'ee', size: 6 };
    const judged: EvaluationEvent = {
      type: 'evaluation-judged.v1',
      data: { evaluationId, attempt: 2, verdicts, usage, judgedAt: given.now },
    };
    evaluation(asked, claimed(1))
      .when({ type: 'record-answers', evaluationId, attempt: 1, answers, usage: null })
      .then([answered]);
    const grade = { type: 'record-verdicts', evaluationId, attempt: 2, verdicts, usage } as const;
    evaluation(asked, claimed(1), answered, claimed(2, 'worker')).when(grade).then([judged]);
    evaluation(asked, claimed(1), answered, claimed(2), lost(2)).when(grade).then([]);
    evaluation(asked, claimed(1), answered, claimed(2, 'worker'), judged)
      .when(claim(3))
      .then([claimed(3)]);
  });

  it('loses its predictions once, after its end, and keeps its figures', () => {
    const erase = { type: 'erase-predictions', evaluationId, workspaceId: 'w1' } as const;
    const erased: EvaluationEvent = {
      type: 'evaluation-predictions-erased.v1',
      data: { evaluationId, erasedAt: given.now },
    };
    evaluation(requested, claimed(1)).when(erase).thenRefused('conflict');
    evaluation(requested, claimed(1), completed).when(erase).then([erased]);
    evaluation(requested, claimed(1), completed)
      .when({ ...erase, workspaceId: 'w2' })
      .thenRefused('not_found');
    evaluation(requested, claimed(1), completed, erased).when(erase).then([]);
    const deleted: EvaluationEvent = { type: 'evaluation-deleted.v1', data: { evaluationId, deletedAt: given.now } };
    evaluation(requested, claimed(1), completed, erased).when(remove).then([deleted]);
  });

  it('is deleted by its own workspace only', () => {
    const deleted: EvaluationEvent = { type: 'evaluation-deleted.v1', data: { evaluationId, deletedAt: given.now } };
    evaluation(requested, claimed(1), completed).when(remove).then([deleted]);
    evaluation(requested)
      .when({ ...remove, workspaceId: 'w2' })
      .thenRefused('not_found');
    evaluation(requested, claimed(1), deleted).when(complete(1)).then([]);
    evaluation(requested, deleted).when(claim(1)).thenRefused('conflict');
    const erase = { type: 'mark-evaluation-erased', evaluationId } as const;
    evaluation(requested, deleted)
      .when(erase)
      .then([{ type: 'evaluation-erased.v1', data: { evaluationId, erasedAt: given.now } }]);
    evaluation(requested).when(erase).thenRefused('conflict');
  });
});
