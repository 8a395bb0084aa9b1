/** To the process that writes Parquet: canonical rows come on its input, the file is left in the folder. */
export interface ExportJob {
  readonly columns: readonly string[];
  readonly folder: string;
}

export type ExportMessage =
  /** Still at it: the native library says nothing for long. */
  { readonly kind: 'working' } | { readonly kind: 'written'; readonly path: string; readonly size: number };
