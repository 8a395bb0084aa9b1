import { given } from '#test/support/given.js';
import { auditKeyDecider, type AuditKeyEvent } from './index.js';

const made = (number: number, replaced: string | null): AuditKeyEvent => ({
  type: 'audit-key-made.v1',
  data: { verifier: `k${number}`, number, replaced, madeAt: given.now },
});
const record = (number: number) => ({ type: 'record-audit-key', verifier: `k${number}`, number }) as const;

describe('the keys that sign checkpoints', () => {
  it('are recorded once each', () => {
    given(auditKeyDecider, [])
      .when(record(1))
      .then([made(1, null)]);
    given(auditKeyDecider, [made(1, null)])
      .when(record(1))
      .then([]);
  });

  it('say which one they replace', () => {
    given(auditKeyDecider, [made(1, null)])
      .when(record(2))
      .then([made(2, 'k1')]);
  });
});
