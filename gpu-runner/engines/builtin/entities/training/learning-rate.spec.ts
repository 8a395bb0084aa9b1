import { DEFAULT_LEARNING_RATE, effectiveLearningRate, learningRateNote, learningRateRatio } from './learning-rate.js';

const lora = (learningRate: number) => ({ trainingType: 'lora', learningRate }) as const;

describe('the learning rate', () => {
  it('scales the tuned rates by its ratio to the default', () => {
    expect(learningRateRatio(lora(DEFAULT_LEARNING_RATE.lora))).toBe(1);
    expect(learningRateRatio(lora(DEFAULT_LEARNING_RATE.lora * 2))).toBe(2);
    expect(learningRateNote(lora(DEFAULT_LEARNING_RATE.lora * 2))).toBeNull();
  });

  it('is bounded if it would learn nothing or forget everything, and the log says so', () => {
    expect(learningRateRatio(lora(1e-9))).toBe(1 / 8);
    expect(learningRateRatio(lora(0.1))).toBe(8);
    expect(learningRateNote(lora(0.1))).toBe('learning rate 0.1 is far from the default: 0.0016 is used');
    expect(effectiveLearningRate(lora(0.1))).toBeCloseTo(0.0016);
    expect(effectiveLearningRate(lora(3e-4))).toBe(3e-4);
  });
});
