import { serveAttempt } from './child.js';
import { train } from './training/train.js';

serveAttempt('training', train);
