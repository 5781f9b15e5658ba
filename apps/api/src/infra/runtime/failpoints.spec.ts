import { armFailpoints, disarmFailpoints, failpoint } from './failpoints.ts';

describe('failpoint', () => {
  afterEach(disarmFailpoints);

  it('does nothing unless it is armed', () => {
    armFailpoints(['other']);
    expect(() => failpoint('here')).not.toThrow();
  });

  it('throws at every hit, at one hit, or for one subject', () => {
    armFailpoints(['every', 'third@3', 'one:throw=row-7']);
    for (let hit = 1; hit <= 4; hit++) {
      expect(() => failpoint('every')).toThrow('Failpoint every');
      if (hit === 3) expect(() => failpoint('third')).toThrow('Failpoint third');
      else expect(() => failpoint('third')).not.toThrow();
    }
    expect(() => failpoint('one', 'row-6')).not.toThrow();
    expect(() => failpoint('one')).not.toThrow();
    expect(() => failpoint('one', 'row-7')).toThrow('Failpoint one');
  });

  it('refuses what it does not understand', () => {
    expect(() => armFailpoints(['here:stop'])).toThrow('here:stop is not a failpoint');
  });
});
