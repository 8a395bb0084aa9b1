import { given } from '#test/support/given.js';
import { auditKeyDecider, type AuditKeyEvent } from './index.js';

const made = (number: number, replaced: string | null): AuditKeyEvent => ({
  type: 'audit-key-made.v1',
  data: { verifier: `k${number}`, number, replaced, madeAt: given.now },
});
const begun = (tree: number): AuditKeyEvent => ({
  type: 'audit-tree-begun.v1',
  data: { tree, begunAt: given.now },
});
const restarted = (tree: number): AuditKeyEvent => ({
  type: 'audit-tree-restarted.v1',
  data: { tree, reason: 'the disk was lost', replaced: 'note', restartedAt: given.now },
});
const record = (number: number) => ({ type: 'record-audit-key', verifier: `k${number}`, number }) as const;
const begin = (tree: number) => ({ type: 'begin-audit-tree', tree }) as const;
const restart = (tree: number) =>
  ({ type: 'restart-audit-tree', tree, reason: 'the disk was lost', replaced: 'note' }) as const;

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

describe('the keys that sign models', () => {
  const modelKeyMade = (publicKey: string, replaced: string | null): AuditKeyEvent => ({
    type: 'model-key-made.v1',
    data: { publicKey, replaced, madeAt: given.now },
  });

  it('are recorded once each, and say which one they replace', () => {
    given(auditKeyDecider, [made(1, null)])
      .when({ type: 'record-model-key', publicKey: 'p1' })
      .then([modelKeyMade('p1', null)]);
    given(auditKeyDecider, [modelKeyMade('p1', null)])
      .when({ type: 'record-model-key', publicKey: 'p1' })
      .then([]);
    given(auditKeyDecider, [modelKeyMade('p1', null)])
      .when({ type: 'record-model-key', publicKey: 'p2' })
      .then([modelKeyMade('p2', 'p1')]);
  });
});

describe('the tree of a log', () => {
  it('is started once', () => {
    given(auditKeyDecider, [made(1, null)])
      .when(begin(1))
      .then([begun(1)]);
    given(auditKeyDecider, [made(1, null), begun(1)])
      .when(begin(1))
      .then([]);
  });

  it('is restarted with a reason, and started again as the next one', () => {
    given(auditKeyDecider, [made(1, null), begun(1)])
      .when(restart(2))
      .then([restarted(2)]);
    given(auditKeyDecider, [begun(1), restarted(2)])
      .when(begin(1))
      .then([]);
    given(auditKeyDecider, [begun(1), restarted(2)])
      .when(begin(2))
      .then([begun(2)]);
  });
});
