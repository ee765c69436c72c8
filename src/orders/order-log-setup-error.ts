/** The order log can't be used before a person has changed something; the message says what. */
export class OrderLogSetupError extends Error {}
