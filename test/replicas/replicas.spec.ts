import { replicasSuite } from './suite.js';

describe('two APIs on the embedded coordination', () => replicasSuite(null));
