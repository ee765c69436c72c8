/** The server sets these headers: forwarding headers of clients can't be trusted. */
export const CLIENT_ADDRESS_HEADER = "x-floodgate-client";
export const REQUEST_ID_HEADER = "x-floodgate-request";
