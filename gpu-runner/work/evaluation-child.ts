import { serveAttempt } from './child.js';
import { evaluate } from './evaluation/evaluate.js';

serveAttempt('evaluation', evaluate);
