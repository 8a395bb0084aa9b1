import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import {
  TrainingError,
  type Example,
  type TrainMetrics,
  type TrainReport,
  type TrainRequest,
  type TrainResult,
} from '../../engine.js';
import type { Steps } from '../../steps.js';
import {
  LEARNED_TEXTS,
  readAdapterArtifact,
  TRAINING_ROWS,
  writeArtifact,
  type AdapterArtifact,
  type LoadedArtifact,
} from '../artifact/index.js';
import { keepRows } from '../classification/index.js';
import { learningRateFactor, type LabelResolver } from '../entities/index.js';
import type { HeadState } from '../head.js';
import { loadHeads, taskJudge, type LoadedBase } from '../inference/index.js';
import { learnTexts } from '../likeness/index.js';
import { taskOfHead } from '../task-heads.js';
import type { TextEncoder } from '../text-encoder.js';
import { encodeRows } from './encode-rows.js';
import { figuresOf, finalFiguresOf, isBetter, plain, type HeldOutFigures, type EpochFigures } from './figures.js';
import { createHeads, interleave, poolLosses, validateHeads, type JobHead } from './heads.js';
import { modelCard } from './model-card.js';
import { readableBase } from './readable-base.js';
import { fingerprintOf, readRunState, writeRunState, type RunState } from './run-state.js';

/**
 * Trains the heads that the rows are labelled for, epoch by epoch, and writes the best epoch's weights as an artifact.
 * Between any two steps the event loop turns, so that an abort and the caller's own work get their turn. The result
 * is independent of the clock and of that work: equal requests give equal files, also when they are resumed.
 * @throws TrainingError when the data cannot be learned from
 * @throws the signal's reason when aborted
 */
export async function train(
  request: TrainRequest,
  base: LoadedBase,
  report: (report: TrainReport) => void,
  signal: AbortSignal,
): Promise<TrainResult> {
  signal.throwIfAborted();
  mkdirSync(request.outputDirectory, { recursive: true });
  const next = async () => {
    report({ kind: 'working' });
    await turn();
    signal.throwIfAborted();
  };
  const { startFrom } = request;
  const start = startFrom === null ? null : readAdapterArtifact(startFrom, base.reference);
  const log = (message: string) => report({ kind: 'log', level: 'info', message });
  const readable = readableBase(base, request.train, start?.heads ?? {}, log);
  const inSteps = async <T>(steps: Steps<T>): Promise<T> => {
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done) return step.value;
      await next();
    }
  };
  await inSteps(encodeRows(request, readable.encoder));
  const heads = await inSteps(
    createHeads({
      ...request,
      startFrom: start?.heads ?? {},
      base: readable.tagger,
      encoder: readable.encoder,
      sentences: readable.sentences,
      resolveLabel: labelResolver(readable, request.train),
      resolveName: (name) => readable.resolve([name]).get(name) ?? [],
      log,
      working: () => report({ kind: 'working' }),
    }),
  );
  const run = new TrainingRun(request, readable, start, report, heads);
  while (!run.isOver()) {
    await next();
    run.advance();
  }
  return run.finish(await inSteps(run.keptRows()), await inSteps(run.learnedTexts()));
}

class TrainingRun {
  /** Heads of the continued adapter that this job does not train: they stay in the new one. */
  private readonly carried: Readonly<Record<string, HeadState>>;
  private readonly plan: Uint8Array;
  private readonly fingerprint: string;
  private readonly run: RunState;
  private readonly progressEvery: number;

  constructor(
    readonly request: TrainRequest,
    readonly base: LoadedBase,
    start: LoadedArtifact<AdapterArtifact> | null,
    readonly report: (report: TrainReport) => void,
    private readonly heads: readonly JobHead[],
  ) {
    const { resumeFrom } = request;
    const trained = new Set<string>(heads.map((head) => head.key));
    this.carried = Object.fromEntries(Object.entries(start?.heads ?? {}).filter(([name]) => !trained.has(name)));
    this.plan = interleave(this.heads.map(({ trainer }) => trainer.stepsPerEpoch));
    this.progressEvery = Math.max(1, Math.floor((this.plan.length * request.settings.epochs) / PROGRESS_REPORTS));
    const { learningRate, learningRateAsked: asked } = request.settings;
    if (asked !== undefined) {
      const message = `learning rate ${asked} is far from the default: ${learningRate} is used`;
      this.report({ kind: 'log', level: 'warn', message });
    }
    this.fingerprint = fingerprintOf(request, base.reference.sha256, start?.sha256 ?? null);
    this.run = resumeFrom === null ? this.freshRun() : this.resume(resumeFrom);
  }

  isOver(): boolean {
    return this.run.stepInEpoch === 0 && (this.run.epoch >= this.request.settings.epochs || this.hasStalled());
  }

  /** Runs an optimiser step of a head, and ends the epoch after its last one. */
  advance(): void {
    const run = this.run;
    const { epochs, saveSteps } = this.request.settings;
    const head = this.plan[run.stepInEpoch]!;
    const loss = this.heads[head]!.trainer.step();
    if (!Number.isFinite(loss))
      throw new TrainingError(`Training diverged in epoch ${run.epoch + 1}: choose a lower learning rate.`);
    run.lossSums[head]! += loss;
    run.stepInEpoch++;
    run.step++;
    const ended = run.stepInEpoch === this.plan.length;
    if (run.step % this.progressEvery === 0)
      this.report({
        kind: 'progress',
        fraction: run.step / (this.plan.length * epochs),
        epoch: run.epoch + 1,
        step: run.step,
      });
    if (ended) this.endEpoch();
    else if (saveSteps > 0 && run.step % saveSteps === 0) this.checkpointBetweenEpochs();
  }

  /** The rows by which the artifact will explain its answers; null if their places are unknown. */
  *keptRows(): Steps<HeadState['tensors'] | null> {
    const { train: rows, sources } = this.request;
    const classifier = this.run.best?.heads['classification'] ?? null;
    return sources ? yield* keepRows(rows, sources, classifier, this.encoderOfTexts()) : null;
  }

  /** What the rows are like, by which the artifact will tell texts that are unlike them; null if it need not. */
  *learnedTexts(): Steps<HeadState['tensors'] | null> {
    const { train, validation, learnsLikeness = true } = this.request;
    if (!learnsLikeness) return null;
    const { classes } = loadHeads(this.base, this.run.best?.heads ?? {});
    const texts = (rows: readonly Example[]) => rows.map(({ text }) => text);
    return yield* learnTexts(
      texts(train),
      this.encoderOfTexts(),
      classes.filter(({ multiLabel }) => !multiLabel).map(taskJudge),
      texts(validation),
    );
  }

  /** Without classes, no whole text was encoded: that would take longer than the training itself. */
  private encoderOfTexts(): TextEncoder | null {
    const heads = this.run.best?.heads ?? {};
    return Object.keys(heads).some((key) => taskOfHead(key, heads[key]!) !== null) ? this.base.encoder : null;
  }

  /** Writes the artifact of the best epoch, judged as it will be served. */
  finish(rows: HeadState['tensors'] | null, texts: HeadState['tensors'] | null): TrainResult {
    const { request, base } = this;
    const { history, best } = this.run;
    if (best === null) throw new TrainingError('There was no epoch to train: set the number of epochs to 1 or more.');
    const artifact = this.artifact(best.heads);
    const last = history.at(-1)!;
    const read = this.heads.flatMap(({ trainer }) => trainer.rowsWithVectors ?? []);
    const validationLosses = history.flatMap(({ validationLoss }) => validationLoss ?? []);
    const metrics: TrainMetrics = {
      ...this.figures(artifact, finalFiguresOf),
      finalTrainingLoss: last.trainingLoss,
      finalValidationLoss: last.validationLoss,
      bestValidationLoss: validationLosses.length === 0 ? null : Math.min(...validationLosses),
      ...(read.length > 0 && { rowsWithVectors: Math.min(...read) }),
    };
    const artifactDirectory = join(request.outputDirectory, 'artifact');
    this.replaceFolder(artifactDirectory, (directory) => {
      writeArtifact(directory, artifact, {
        metrics: { ...plain(metrics), best_epoch: best.epoch, history },
        card: modelCard({ base: base.reference, request, metrics, bestEpoch: best.epoch, epochsRun: history.length }),
      });
      if (rows) TRAINING_ROWS.write(directory, rows);
      if (texts) LEARNED_TEXTS.write(directory, texts);
    });
    return { artifactDirectory, metrics, epochsRun: history.length };
  }

  private freshRun(): RunState {
    return { epoch: 0, stepInEpoch: 0, step: 0, lossSums: this.heads.map(() => 0), history: [], best: null };
  }

  private resume(directory: string): RunState {
    const state = readRunState(directory, this.fingerprint);
    if (state === null) {
      this.log('The checkpoint is of trainers of another version: training starts afresh.');
      return this.freshRun();
    }
    const { run, trainers } = state;
    for (const { key, trainer } of this.heads) trainer.restoreState(trainers[key]!);
    this.log(`Resuming after step ${run.step}.`);
    return run;
  }

  private endEpoch(): void {
    const run = this.run;
    const { epochs } = this.request.settings;
    const { loss: validationLoss, merit } = validateHeads(this.heads);
    const heads = this.exportHeads();
    const artifact = this.artifact(heads);
    const judged: EpochFigures = { trainingLoss: this.trainingLoss(), validationLoss, f1: this.figures(artifact).f1 };
    const epoch = run.epoch + 1;
    const isBest = run.history.every((earlier) => isBetter(merit, earlier.merit));
    if (isBest) run.best = { epoch, heads };
    run.history.push({ epoch, step: run.step, ...judged, merit });
    run.epoch = epoch;
    run.stepInEpoch = 0;
    run.lossSums = this.heads.map(() => 0);
    this.report({ kind: 'epoch', epoch, epochs, step: run.step, ...judged, learningRate: this.learningRate() });
    this.checkpoint(epoch, artifact, judged, isBest);
    if (run.epoch < epochs && this.hasStalled())
      this.log(`Stopping early: no better epoch since epoch ${run.best!.epoch}.`);
  }

  private checkpointBetweenEpochs(): void {
    const artifact = this.artifact(this.exportHeads());
    const { loss: validationLoss } = validateHeads(this.heads);
    const judged: EpochFigures = { trainingLoss: this.trainingLoss(), validationLoss, f1: this.figures(artifact).f1 };
    this.checkpoint(this.run.epoch + 1, artifact, judged, false);
  }

  private checkpoint(epoch: number, artifact: AdapterArtifact, judged: EpochFigures, isBest: boolean): void {
    const { outputDirectory } = this.request;
    const run = this.run;
    const directory = join(outputDirectory, `checkpoint-${run.step}`);
    const trainers = Object.fromEntries(this.heads.map(({ key, trainer }) => [key, trainer.saveState()]));
    this.replaceFolder(directory, (temporary) => {
      writeArtifact(temporary, artifact);
      writeRunState(temporary, this.fingerprint, run, trainers);
    });
    this.report({
      kind: 'checkpoint',
      directory,
      epoch,
      step: run.step,
      ...judged,
      learningRate: this.learningRate(),
      isBest,
      isFinal: this.isOver(),
    });
  }

  private figures(artifact: AdapterArtifact, measure = figuresOf): HeldOutFigures {
    const names = this.heads.map(({ name }) => name);
    return measure(this.base, artifact, names, this.request.validation, () => this.report({ kind: 'working' }));
  }

  /** A folder appears whole or not at all: it is written beside its place under another name, then renamed. */
  private replaceFolder(directory: string, write: (temporary: string) => void): void {
    const temporary = `${directory}.part`;
    rmSync(temporary, { recursive: true, force: true });
    mkdirSync(temporary, { recursive: true });
    write(temporary);
    rmSync(directory, { recursive: true, force: true });
    renameSync(temporary, directory);
  }

  private artifact(heads: Readonly<Record<string, HeadState>>): AdapterArtifact {
    const { trainingType, loraR, loraAlpha, seed } = this.request.settings;
    return {
      kind: 'adapter',
      base: this.base.reference,
      training: { trainingType, loraR, loraAlpha, seed },
      heads: { ...this.carried, ...heads },
    };
  }

  private exportHeads(): Readonly<Record<string, HeadState>> {
    return Object.fromEntries(this.heads.map(({ key, trainer }) => [key, trainer.exportModel()]));
  }

  /** Mean loss of a row in the current epoch. */
  private trainingLoss(): number {
    const done = this.plan.subarray(0, this.run.stepInEpoch);
    const means = this.run.lossSums.map(
      (sum, head) => sum / Math.max(1, done.filter((other) => other === head).length),
    );
    return poolLosses(this.heads, 'trainRows', means);
  }

  /** The rate in effect at this step. */
  private learningRate(): number {
    const { settings } = this.request;
    const { learningRate, scheduler, warmupRatio, epochs } = settings;
    return learningRate * learningRateFactor(scheduler, this.run.step, this.plan.length * epochs, warmupRatio);
  }

  /** True once the best epoch lies `earlyStoppingPatience` epochs back; a patience of 0 never stops. */
  private hasStalled(): boolean {
    const { earlyStoppingPatience: patience } = this.request.settings;
    return patience > 0 && this.run.best !== null && this.run.epoch - this.run.best.epoch >= patience;
  }

  log(message: string): void {
    this.report({ kind: 'log', level: 'info', message });
  }
}

/** Labels are resolved together, like those of one request. */
function labelResolver(base: LoadedBase, rows: readonly Example[]): LabelResolver {
  const labels = rows.flatMap((row) => (row.entities ?? []).map((entity) => entity.label));
  const types = base.resolve([...new Set(labels)]);
  return (label) => types.get(label) ?? [];
}

/** Number of progress reports of a whole run. */
const PROGRESS_REPORTS = 200;
