import type { Engine, Example, LoadedModel, TrainingType } from '#gpu-runner/engines/engine.js';
import type { Head } from './sets.js';
import { enginesHere } from './systems.js';

interface Training {
  readonly head: Head;
  readonly trainingType: TrainingType;
  readonly train: readonly Example[];
  readonly validation: readonly Example[];
  /** What the classes mean. */
  readonly descriptions?: Readonly<Record<string, string>> | undefined;
  readonly outputDirectory: string;
}

/** @returns the folder of an artifact, trained with the settings that a training job has by default */
export async function trainedOn(
  id: string,
  { head, trainingType, train, validation, descriptions, outputDirectory }: Training,
): Promise<string> {
  const { engine, registered, baseDirectory } = await engineOf(id);
  const labels = new Set(train.flatMap((row) => row.labels ?? []));
  const settings = registered.resolveSettings(
    {
      trainingType,
      rows: train.length,
      entityRows: head === 'labels' ? 0 : train.length,
      classSizes: [...labels].map(() => train.length / labels.size),
      multiLabel: false,
    },
    { ...(descriptions && { labelDescriptions: descriptions }) },
  );
  const { artifactDirectory } = await engine.train(
    { settings, train, validation, baseDirectory, startFrom: null, resumeFrom: null, outputDirectory },
    () => undefined,
    new AbortController().signal,
  );
  return artifactDirectory;
}

export async function loaded(id: string, artifact: string): Promise<LoadedModel> {
  const { engine, baseDirectory } = await engineOf(id);
  return engine.load(baseDirectory, artifact);
}

async function engineOf(id: string) {
  const { engine: registered, model } = enginesHere().baseModel(id)!;
  const { engine } = (await import(registered.module)) as { readonly engine: Engine };
  return { engine, registered, baseDirectory: model.directory };
}
