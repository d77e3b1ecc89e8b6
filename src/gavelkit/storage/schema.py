"""The tables of `run.db`, and how a slot and a status become integers.

Primary keys are integers that grow as the run goes on, so rows are appended and no page of random keys is touched.
Each example stands once, each template once (in its judge's `spec`); a prompt is rendered again when it is shown.
"""

from __future__ import annotations

from gavelkit.core.status import Status

FILE_NAME = "run.db"
APPLICATION_ID = 0x4741564C  # "GAVL"
VERSION = 2

TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE judge (
  judge INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, asks TEXT NOT NULL, reads TEXT NOT NULL, spec TEXT NOT NULL);
CREATE TABLE subject (subject INTEGER PRIMARY KEY, systems TEXT NOT NULL UNIQUE);
CREATE TABLE example (
  example INTEGER PRIMARY KEY, id TEXT NOT NULL, identity INTEGER NOT NULL, content INTEGER NOT NULL,
  removed INTEGER NOT NULL DEFAULT 0, line INTEGER NOT NULL, row TEXT NOT NULL);
CREATE TABLE call (
  call INTEGER PRIMARY KEY, key BLOB NOT NULL, judge INTEGER NOT NULL, reply TEXT NOT NULL, reasoning TEXT,
  refusal TEXT,
  finish_reason TEXT NOT NULL, served_model TEXT NOT NULL, prompt_tokens INTEGER, completion_tokens INTEGER,
  cached_tokens INTEGER, reasoning_tokens INTEGER, effective TEXT, seconds REAL NOT NULL, requests INTEGER NOT NULL,
  logprobs TEXT);
CREATE TABLE judgment (
  slot INTEGER PRIMARY KEY, status INTEGER NOT NULL, score REAL, position_bias INTEGER, grade,
  explanation,
  parts TEXT, failure TEXT, call INTEGER, steps TEXT, CHECK ((score IS NULL) = (status <> 0)));
"""

INSERTS = {
    "example": "INSERT OR REPLACE INTO example VALUES (?,?,?,?,0,?,?)",
    "call": "INSERT INTO call VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    "judgment": "INSERT OR REPLACE INTO judgment VALUES (?,?,?,?,?,?,?,?,?,?)",
}

STATUSES = tuple(Status)
STATUS_CODES = {status: code for code, status in enumerate(STATUSES)}

REPEAT_BITS = 8
SUBJECT_BITS = 14
JUDGE_BITS = 8
POSITION_SHIFT = REPEAT_BITS + SUBJECT_BITS + JUDGE_BITS
MAX_SUBJECTS = 1 << SUBJECT_BITS


def slot_number(position: int, judge: int, subject: int, repeat: int) -> int:
    """One integer for a slot; in order, slots go by example, judge, subject and repeat."""
    return (((position << JUDGE_BITS | judge) << SUBJECT_BITS) | subject) << REPEAT_BITS | repeat


def slot_parts(number: int) -> tuple[int, int, int, int]:
    """Position, judge, subject and repeat of a slot's number."""
    repeat = number & (1 << REPEAT_BITS) - 1
    subject = number >> REPEAT_BITS & (1 << SUBJECT_BITS) - 1
    judge = number >> REPEAT_BITS + SUBJECT_BITS & (1 << JUDGE_BITS) - 1
    return number >> POSITION_SHIFT, judge, subject, repeat
