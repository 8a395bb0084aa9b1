import { serveAttempt } from './work/child.js';
import { train } from './work/training/train.js';

serveAttempt('training', train);
