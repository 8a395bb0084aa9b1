import { serveAttempt } from './work/child.js';
import { exportModel } from './work/export/export.js';

serveAttempt('export', exportModel);
