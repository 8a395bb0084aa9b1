import type { ReactElement } from 'react';
import type { Schema } from '../../api/client.js';
import { Headline } from '../../components/headline.js';
import { counted } from '../../components/values.js';
import { findingsOf, useReport } from './report.js';

/** What a version is worth, in one sentence: whether a model can learn from it, and what would mislead it. */
export function Worth({ version }: { readonly version: Schema['DatasetVersionRecord'] }): ReactElement {
  const { name, version_number, status, sample_size, labels } = version;
  const isReady = status === 'ready';
  const report = useReport(name, version_number, isReady);
  if (status === 'failed') return <Headline kind="bad">The file could not be read: nothing of it was stored.</Headline>;
  if (!isReady) return <Headline kind="info">The file is {status.replaceAll('_', ' ')}.</Headline>;
  const found = report.data && findingsOf(report.data);
  return (
    <Headline
      kind={found === undefined ? 'info' : found.length === 0 ? 'good' : 'warn'}
      then={
        found === undefined
          ? 'Its rows are being looked through.'
          : found.length === 0
            ? 'Nothing was found that would mislead a model.'
            : `${counted(found.length, 'finding')} would mislead a model: see the report.`
      }
    >
      <b>{counted(sample_size, 'row')}</b> with <b>{counted(labels.length, 'label')}</b> to learn from.
    </Headline>
  );
}
