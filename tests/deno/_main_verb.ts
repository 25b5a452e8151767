/**
 * Tells whether a sentence has a verb in its main clause, for the language rules.
 * It errs on the side of the sentence: a noun may count as a verb.
 *
 * @module
 */

/** The finite forms that are verbs after any word. */
const AUXILIARIES = new Set(wordsOf(`
  am are can cannot could did do does had has have is may might must shall should
  was were will would can't couldn't didn't doesn't don't hasn't isn't let's
  shouldn't wasn't won't wouldn't
`));

/** The past forms that end in neither "ed" nor "s". */
const IRREGULAR = wordsOf(`
  became began broke brought built came caught chose drew fell felt forgot
  found gave got grew heard held hid kept knew led left lost made meant met
  paid ran rose said sat saw sent spent stole stood taught thought threw
  told took understood went woke won wrote
`);

/** The verbs of the project's prose, in their base form. */
const VERBS = wordsOf(`
  abandon abort accept account accumulate act add adjust admit advertise
  affect agree allow announce answer appear append apply arrive ask assign
  assume attach authenticate avoid await backtrack ban base beat become
  begin behave belong benefit bind block bound branch break bring buffer
  build cache call cancel capture carry catch cause challenge change charge
  check choose cite claim clean clear close collect color combine come
  commit compare compile complete complain compress compute confirm confuse connect
  consist consume contain continue contribute convert cope copy correspond
  cost count cover crash create credit cross cut decide declare decode defer
  define delay delete deliver demand deny depend derive describe differ
  disable disagree discard disconnect discover dispatch dispose distinguish
  double drain draw drive drop embed emit enable encode encounter encrypt
  end enforce enter escape evaluate evict exceed exchange exclude execute
  exist expect expire explain export extend fail feed feel fetch fill find
  finish fire fit fold follow forbid forge forget forgive format forward
  free freeze generate get give go govern grant group grow guarantee guard
  guess halt handle happen hash hear help hide hit hold hurt identify ignore
  imagine implement imply import include increase indicate infer inform
  inherit initialize inject insert inspect install instrument intercept
  interfere interpret interrupt introduce invalidate invent invoke isolate
  issue iterate join judge jump keep kill know lack land last lead leak
  learn leave lend let lie limit link list listen live load lock log look
  lose lower maintain make manage map mark mask match matter mean measure
  meet mention merge migrate mirror miss mistake mix modify mount move
  multiply name narrow navigate need negotiate normalize note notice notify
  number observe obtain occupy occur offer omit open operate optimize order
  outgrow outlive overflow override overwrite own pad page parse pass paste
  patch pause pay peek perform permit persist pick place plan plant play
  point poison poll pool post prefer prepend present preserve press prevent
  print probe process produce promise prompt propose protect prove provide
  publish put qualify queue quote race raise rank reach read reappear
  receive recognize record recover redact redirect reduce refer reflect
  refresh refuse register reject relay reload rely remain remember remove
  rename render renew reopen reorder repeat replace replay reply report
  represent reproduce request require resemble resend reserve reset resolve
  respond rest restart restore restrict result resume retain rethrow
  retrieve retry return reuse reveal review revoke rewrite rise roll rotate
  round route run sample sanitize satisfy save say scan schedule seal search
  see seem select send separate serve set settle shadow share shift show
  shrink shut sign simplify simulate sit skip sleep slow solve sort sound
  span spare speak spell spend split spread stand staple start stay steal
  stem step stop store stream strengthen stretch strip submit subtract
  succeed suffer suggest suit supply support suppress surround swallow swap
  switch sync take tell terminate test think throttle throw tidy tie time
  tolerate touch trace track transform translate travel treat trigger trim
  trip truncate trust try turn type understand undo unlock unpack unwrap
  update upgrade use validate vanish vary verify visit wait walk want warn
  watch weigh win wipe withstand wonder work worry wrap write yield zero
`);

/** A word after one of these is a noun, even if it has the form of a verb. */
const NOUN_FOLLOWS = new Set(wordsOf(`
  a an another any at between by every first for from
  further given her his in into its last new no of old
  on one's other our own per same second short such than the their to
  under whole with within without your
`));

/** The words that begin a clause with a verb of that clause. */
const SUBORDINATE =
  /\b(?:because(?! of\b)|if|so that|although|though|(?<!\ba )while|unless|when|where|whose|which|who|whether)\b/gi;

/** A "that" which begins a clause, not one before a noun or in place of one. */
const THAT =
  /(?<=\w,? )(?<!\b(?:after|because|before|beyond|for|in|like|so|than|to|with) )that\b(?! (?:id|in|key|login|of|session|time|user)\b)/gi;

/** Clauses without a verb that are good English. */
const ELLIPTIC =
  /\bif (?:any|necessary|not|possible|present|so)\b|\bwhile \w+ing\b/gi;

const FORMS = new Set([...IRREGULAR, ...VERBS.flatMap(formsOf)]);

/** Returns `true` if a sentence has more verbs than subordinate clauses. */
export function hasMainVerb(sentence: string): boolean {
  const text = sentence.replace(/\([^)]*\)/g, "").replace(ELLIPTIC, "");
  const words = text.toLowerCase().match(/`code`|[\w-]+(?:'[a-z]+)?/g) ?? [];
  const verbs = words.filter((word, index) => {
    const before = words[index - 1] ?? "";
    return AUXILIARIES.has(word) ||
      FORMS.has(word) && !NOUN_FOLLOWS.has(before) && !AUXILIARIES.has(before);
  });
  const clauses = [SUBORDINATE, THAT].flatMap((word) => text.match(word) ?? []);
  return verbs.length > clauses.length;
}

function formsOf(verb: string): string[] {
  if (/[^aeiou]y$/.test(verb)) {
    return [verb, `${verb.slice(0, -1)}ies`, `${verb.slice(0, -1)}ied`];
  }
  if (/(?:s|x|ch|sh|z|o)$/.test(verb)) return [verb, `${verb}es`, `${verb}ed`];
  if (verb.endsWith("e")) return [verb, `${verb}s`, `${verb}d`];
  return [verb, `${verb}s`, `${verb}ed`, `${verb}${verb.at(-1)}ed`];
}

function wordsOf(text: string): string[] {
  return text.trim().split(/\s+/);
}
