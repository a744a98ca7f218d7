import {BrigError} from './errors.js';

/**
 * The fields of an answer to an ask.
 *
 * @param {string | {text: string}} answer the id of an option, or an answer in own words
 */
export function choiceOf(answer) {
    const choice = typeof answer === 'string' ? {option: answer} : {text: answer?.text};
    if (typeof (choice.option ?? choice.text) !== 'string') {
        throw new BrigError('INVALID_FIELD', "an answer is the id of an option, or {text: '…'}");
    }
    return choice;
}
