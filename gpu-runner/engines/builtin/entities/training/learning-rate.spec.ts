import { boundedLearningRate, DEFAULT_LEARNING_RATE, learningRateRatio } from './learning-rate.js';

const lora = (learningRate: number) => ({ trainingType: 'lora', learningRate }) as const;

describe('the learning rate', () => {
  it('scales the tuned rates by its ratio to the default', () => {
    expect(learningRateRatio(lora(DEFAULT_LEARNING_RATE.lora))).toBe(1);
    expect(learningRateRatio(lora(DEFAULT_LEARNING_RATE.lora * 2))).toBe(2);
  });

  it('stays between an eighth of the default and eight times the default', () => {
    expect(learningRateRatio(lora(1e-9))).toBe(1 / 8);
    expect(learningRateRatio(lora(0.1))).toBe(8);
    expect(boundedLearningRate('lora', 0.1)).toBe(0.0016);
    expect(boundedLearningRate('full', 1e-9)).toBe(6.25e-6);
    expect(boundedLearningRate('lora', 3e-4)).toBe(3e-4);
  });
});
