/**
 * A job of the process that writes Parquet: it reads canonical rows from its input and leaves the file in the folder.
 */
export interface ExportJob {
  readonly columns: readonly string[];
  readonly folder: string;
}

export type TableExportMessage =
  /** A sign of life, because the native library may be silent for long. */
  { readonly kind: 'working' } | { readonly kind: 'written'; readonly path: string; readonly size: number };
