import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ArtifactError } from '../../engine.js';
import { drain } from '../../steps.js';
import { createClassificationTrainer } from '../classification/index.js';
import { writeArtifact } from '../artifact/index.js';
import { builtin } from '../registration.js';
import { trainSettings } from '../train-settings.fixture.js';
import { tableOf } from '../word-table/word-table.fixture.js';
import { loadBase } from './base.js';
import { createModel } from './model.js';

const { directory: committed } = builtin.baseModels[0]!;

describe('the table of words of the base model', () => {
  const root = mkdtempSync(join(tmpdir(), 'base-'));
  const copy = (name: string) => {
    const directory = join(root, name);
    cpSync(committed, directory, { recursive: true });
    return directory;
  };
  const chosen = (directory: string, text: string, labels: readonly string[]) => {
    const schema = { classifications: [{ task: 'task', labels, multiLabel: false }] };
    const { results } = drain(createModel(loadBase(directory), {}, 0).infer({ texts: [text], schema, threshold: 0.5 }));
    return results[0]!.classifications!['task']![0]!;
  };
  let bare: string;

  beforeAll(() => {
    bare = copy('bare');
    rmSync(join(bare, 'words'), { recursive: true });
  });
  afterAll(() => rmSync(root, { recursive: true }));

  it('finds by meaning a label that shares no word with the text', () => {
    const topics = ['business', 'science', 'sports', 'politics'];
    expect(chosen(committed, 'The striker scored twice in the final', topics).label).toBe('sports');
    expect(chosen(committed, 'Parliament will vote on the bill next week', topics).label).toBe('politics');
    expect(chosen(committed, 'Researchers sequenced the genome of a frog', topics).label).toBe('science');
  });

  it('keeps confidences below the cap', () => {
    const { confidence } = chosen(committed, 'refund refund money back', ['refund', 'astronomy']);
    expect(confidence).toBeGreaterThan(0.5);
    expect(confidence).toBeLessThanOrEqual(0.6);
  });

  it("is not part of the base's identity", () => {
    expect(loadBase(bare).table).toBeNull();
    expect(loadBase(bare).reference).toEqual(loadBase(committed).reference);
  });

  describe('under trained classifiers', () => {
    // No two rows have a word in common, so that terms alone tell nothing of another row.
    const said = {
      refund: ['money', 'cash', 'payment', 'reimbursement', 'dollars', 'fee', 'debt', 'bank', 'loan'],
      delivery: ['parcel', 'package', 'shipment', 'courier', 'truck', 'cargo', 'freight', 'postal', 'luggage'],
    };
    const rows = Object.entries(said).flatMap(([label, texts]) => texts.map((text) => ({ text, labels: [label] })));
    const trained = (directory: string) => {
      const input = { settings: trainSettings(), train: rows, validation: rows, startFrom: null, log: () => undefined };
      const trainer = createClassificationTrainer(input, loadBase(directory).sentences);
      for (let step = 0; step < 20; step++) trainer.step();
      return { classification: trainer.exportModel() };
    };
    const likeliest = (directory: string, heads: ReturnType<typeof trained>, text: string) => {
      const schema = { classifications: [{ task: 'task', labels: Object.keys(said), multiLabel: false }] };
      const model = createModel(loadBase(directory), heads, 0);
      return drain(model.infer({ texts: [text], schema, threshold: 0.5 })).results[0]!.classifications!['task']![0]!
        .label;
    };

    it('distinguishes classes by words that no row has', () => {
      const heads = trained(committed);
      const texts = ['compensation', 'vans and trains'];
      expect(texts.map((text) => likeliest(committed, heads, text))).toEqual(['refund', 'delivery']);
    });

    it('is not needed by classifiers that were trained without it', () => {
      const heads = trained(bare);
      expect(likeliest(committed, heads, 'package')).toBe('delivery');
    });

    it('refuses, by name, classifiers trained with another table or without any now', () => {
      const heads = trained(committed);
      expect(() => createModel(loadBase(bare), heads, 0)).toThrow(ArtifactError);
      const replaced = copy('another');
      const config = join(replaced, 'words', 'config.json');
      writeFileSync(config, `${readFileSync(config, 'utf8')}\n`);
      expect(() => createModel(loadBase(replaced), heads, 0)).toThrow(/anneal\/words-base-v1 [0-9a-f]{64}/);
    });
  });

  it('is refused if its numbers differ from its configuration', () => {
    const damaged = copy('damaged');
    const path = join(damaged, 'words', 'config.json');
    const config = JSON.parse(readFileSync(path, 'utf8')) as object;
    writeFileSync(path, JSON.stringify({ ...config, tensors_sha256: '0'.repeat(64) }));
    expect(() => loadBase(damaged)).toThrow(ArtifactError);
  });

  it('is read again after it was replaced', () => {
    const replaced = copy('replaced');
    const head = tableOf([['striker', 'business'], ['sports']]);
    writeArtifact(join(replaced, 'words'), { kind: 'base', id: 'test/words', heads: { words: head } });
    expect(chosen(replaced, 'The striker', ['sports', 'business']).label).toBe('business');
    expect(chosen(committed, 'The striker', ['sports', 'business']).label).toBe('sports');
  });

  it('is refused if the folder contains something else', () => {
    const foreign = copy('foreign');
    writeArtifact(join(foreign, 'words'), { kind: 'base', id: 'test/words', heads: {} });
    expect(() => loadBase(foreign)).toThrow('test/words has no table of words.');
  });
});
