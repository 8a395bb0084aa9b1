import { serveAttempt } from './work/child.js';
import { evaluate } from './work/evaluation/evaluate.js';

serveAttempt('evaluation', evaluate);
