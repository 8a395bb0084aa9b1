import { serveAttempt } from './work/child.js';
import { train } from './work/train.js';

serveAttempt('training', train);
