import type { Steps } from '../../../steps.js';
import type { HeadState, HeadTrainer, HeadTrainerInput, HeadValidation } from '../../head.js';
import type { TextEncoder } from '../../text-encoder.js';
import type { BaseTagger } from '../base-tagger.js';
import { layerCountOf, partOfLayer } from '../layered-head.js';
import { layersOf } from './layers.js';
import { joinStates, partOfState } from '../states.js';
import { createEntityTrainer, type LabelResolver } from './trainer.js';

/**
 * Trainer of an entity head whose rows may have nested or overlapping spans: a flat head for each layer of them. Rows without any
 * train one flat head, as `createEntityTrainer` does.
 * @throws TrainingError when no row is labelled for entities, or none holds an entity
 */
export function* createLayeredTrainer(
  input: HeadTrainerInput,
  base: BaseTagger,
  resolve?: LabelResolver,
  encoder: TextEncoder | null = null,
): Steps<HeadTrainer> {
  const { train, validation, startFrom, log } = input;
  const learned = layersOf(train);
  const count = Math.max(learned.layers.length, startFrom === null ? 1 : layerCountOf(startFrom));
  if (count === 1) return yield* createEntityTrainer(input, base, resolve, encoder);
  const { layers, nested, leftOut } = learned.layers.length === count ? learned : layersOf(train, count);
  log(`${nested} nested or overlapping spans are learned in ${count - 1} further ${count === 2 ? 'layer' : 'layers'}.`);
  if (leftOut > 0) log(`${leftOut} spans nested more deeply left out.`);
  const judged = validation === train ? layers : layersOf(validation, count).layers;
  const trainers: HeadTrainer[] = [];
  for (const [layer, rows] of layers.entries()) {
    const of = {
      ...input,
      train: rows,
      validation: judged[layer]!,
      // A layer that is new begins as the first one was: it too learns the spans that hold no other.
      startFrom: startFrom && (partOfState(startFrom, partOfLayer(layer)) ?? startFrom),
      log: (message: string) => log(layer === 0 ? message : `Layer ${layer + 1}: ${message}`),
    };
    trainers.push(yield* createEntityTrainer(of, base, resolve, encoder));
  }
  return new LayeredTrainer(trainers);
}

/** Trains the layers side by side: all have the same rows, and so the same steps. */
class LayeredTrainer implements HeadTrainer {
  readonly stepsPerEpoch: number;
  readonly rowsWithVectors: number | null;

  constructor(private readonly layers: readonly HeadTrainer[]) {
    this.stepsPerEpoch = layers[0]!.stepsPerEpoch;
    this.rowsWithVectors = layers[0]!.rowsWithVectors;
  }

  step(): number {
    return this.layers.reduce((loss, layer) => loss + layer.step(), 0);
  }

  validate(): HeadValidation {
    const results = this.layers.map((layer) => layer.validate());
    return {
      loss: results.reduce((sum, { loss }) => sum + loss, 0),
      f1: results.reduce((sum, { f1 }) => sum + f1, 0) / results.length,
      isHeldOut: results.every(({ isHeldOut }) => isHeldOut),
    };
  }

  exportModel(): HeadState {
    const [first, ...further] = this.layers.map((layer) => layer.exportModel());
    const { config, tensors } = joinStates(
      Object.fromEntries(further.map((state, index) => [partOfLayer(index + 1), state])),
    );
    return { config: { ...first!.config, ...config }, tensors: { ...first!.tensors, ...tensors } };
  }

  saveState(): HeadState {
    return joinStates(Object.fromEntries(this.layers.map((layer, index) => [partOfLayer(index), layer.saveState()])));
  }

  restoreState(state: HeadState): void {
    this.layers.forEach((layer, index) => layer.restoreState(partOfState(state, partOfLayer(index))!));
  }
}
