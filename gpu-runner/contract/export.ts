import type { ExportFormat } from '#domain/model-export/index.js';

export interface ExportRequest {
  readonly format: ExportFormat;
  readonly baseDirectory: string;
  readonly adapterDirectory: string;
  /** A folder that does not exist yet; it appears once it is whole. */
  readonly outputDirectory: string;
}

/** Facts of an exported model, for its card. */
export interface ExportedModel {
  /** Type of the weights, by the engine's name for it: `float32`. */
  readonly dtype: string;
  readonly parameters: number;
  /** Licence of the base model, as given when it was imported; null if none was. */
  readonly baseLicence: string | null;
  /** Packages that wrote it. */
  readonly versions: Readonly<Record<string, string>>;
}

/**
 * Writes a trained model as a folder that other programs load, in a format that its base's registration names.
 * @throws ArtifactError when the artifact is of another engine version or base, or is damaged
 * @throws UnsupportedExportError when the format cannot hold the model
 * @throws EngineUnavailableError
 */
export type ExportOrder = (
  request: ExportRequest,
  report: (report: ExportReport) => void,
  signal: AbortSignal,
) => Promise<ExportedModel>;

export type ExportReport =
  | { readonly kind: 'progress'; readonly fraction: number }
  | { readonly kind: 'log'; readonly level: 'info' | 'warn'; readonly message: string }
  /** Work is progressing. */
  | { readonly kind: 'working' };
