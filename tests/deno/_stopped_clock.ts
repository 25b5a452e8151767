/**
 * Stops the clock of a program that a test starts. A delay of a second then lasts
 * until the end of the test, however long the machine takes to hash a password.
 */
const time = Date.now();
Date.now = () => time;
