import type { ReactElement } from 'react';
import type { Schema } from '../../api/client.js';
import { Status } from '../../components/status.js';

/** Whether messages reach a webhook. */
export const Standing = ({ of }: { readonly of: Schema['WebhookRecord'] }): ReactElement => (
  <Status status={of.enabled ? (of.failing_since === null ? 'ok' : 'failing') : 'disabled'} />
);
