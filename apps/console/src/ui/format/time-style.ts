import { keepChoice } from '../browser/kept-choice.ts';

/** Whether times are shown as "5 min. ago", or as date and time. */
export const timeStyle = keepChoice('platform.times', ['relative', 'absolute']);
