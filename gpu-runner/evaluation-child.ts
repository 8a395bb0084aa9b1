import { serveAttempt } from './work/child.js';
import { evaluate } from './work/evaluate.js';

serveAttempt('evaluation', evaluate);
