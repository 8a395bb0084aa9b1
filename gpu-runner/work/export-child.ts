import { serveAttempt } from './child.js';
import { exportModel } from './export/export.js';

serveAttempt('export', exportModel);
