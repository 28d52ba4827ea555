#!/usr/bin/env python3
"""Compares what binaries make of expressions and conditions, for many requests.

    tests/differential/samples.py [--haproxy haproxy] [--hawser build/release/hawser]

Each difference is printed with its request; the exit status is 0 when there is none but those that man/guide/differences.md
lists.
"""

import argparse
import re
import sys

import harness

EXPRESSIONS = """
req.hdr(x) req.hdr(x,1) req.hdr(x,2) req.hdr(x,-1) req.hdr(x,-2) hdr(X) req.fhdr(x) req.fhdr(x,1) req.hdr
req.hdr_cnt(x) hdr_cnt(x) req.hdr_cnt
req.hdr_ip(x) req.hdr_ip(x,1) hdr_ip(x,2) hdr_ip(x),add(1) hdr_ip(x),length hdr_ip(x),concat(z)
req.cook(c) cook(d) cook(a) cook(b) cook(e) cook(s)
path query query,length url method method,lower method,length
url_param(a) url_param(a,;) url_param(e) url_param(n) url_param(m) url_param(z)
src src,lower dst always_true always_false always_true,add(1) always_true,lower path,add(1)
req.hdr(x),lower req.hdr(x),upper req.hdr(x),length
req.hdr(x),field(1,/) req.hdr(x),field(2,/) req.hdr(x),field(-1,/) req.hdr(x),field(2,/,0) req.hdr(x),field(2,/,2)
req.hdr(x),field(-1,/,2) req.hdr(x),field(9,/) req.hdr(x),field(1,ab) req.hdr(x),field(3,ab) req.hdr(x),field(-2,ab)
req.hdr(x),field(-9,ab) req.hdr(x),field(-1,ab,0) req.hdr(x),field(-2,ab,0) req.hdr(x),field(-2,ab,2) req.hdr(x),field(-2,ab,3)
req.hdr(x),word(1,/) req.hdr(x),word(2,/) req.hdr(x),word(-1,/) req.hdr(x),word(-2,/,2) req.hdr(x),word(2,/,0)
req.hdr(x),word(2,/,2) req.hdr(x),word(9,/) req.hdr(x),word(1,ab) req.hdr(x),word(-9,ab) req.hdr(x),word(-1,ab,0)
req.hdr(x),word(-2,ab,0) req.hdr(x),word(-2,ab,3)
req.hdr(x),add(1) req.hdr(x),sub(1) req.hdr(x),add(-1) req.hdr(x),sub(-1) req.hdr(x),add(txn.seven) req.hdr(x),add(txn.unset)
req.hdr(x),sub(txn.word) req.hdr(x),add(9223372036854775807) req.hdr(x),sub(-9223372036854775808)
req.hdr(x),concat(a) req.hdr(x),concat(a,txn.seven) req.hdr(x),concat(,txn.word,b) req.hdr(x),concat(a,txn.unset,b)
req.hdr(x),concat(a,txn.from,b) req.hdr(x),url_dec req.hdr(x),url_dec(1) url,url_dec
req.hdr_val(x) hdr_val(x,1) hdr_val(x,-2) req.hdr_val req.ver req_ver req.ver,length req.proto_http wait_end req.len req_len,add(1)
str(abc) str str(a),upper int(5) int(-9223372036854775809) int(+7),add(1) bool(1) bool(False) bool(TRUE),add(1)
var(txn.seven) var(txn.seven),lower var(txn.unset) var(txn.unset,dflt) var(txn.from) var(txn.from),add(1) req.hdr(y),add(1)
""".split()

CONDITIONS = """
{ req.hdr(x) a }
{ req.hdr(x) -m str a b }
{ req.hdr(x) -i A }
{ req.hdr(x,1) a }
{ req.hdr(x,-1) b }
{ req.hdr(x) -m beg a }
{ req.hdr(x) -m end b }
{ req.hdr(x) -m len 3 }
{ req.hdr(x) -m len gt 3 }
{ req.hdr(x) -m int 5 }
{ req.hdr(x) -m int 5:10 }
{ req.hdr(x) -m int ge 5 le 2 }
{ req.hdr(x) -m int 0 }
{ req.hdr(x) -m found }
{ req.hdr(x) -m ip 192.0.2.0/24 }
{ req.hdr(x) -m ip 2001:db8::/32 }
{ req.hdr(x) -m ip ::ffff:192.0.2.0/120 }
{ req.hdr(x) -m ip 2002:c000:0201::/48 }
{ req.hdr(x) -m ip 1.2.3.4 }
{ hdr_ip(x) 192.0.2.1 }
{ hdr_ip(x) 0.0.0.0/0 }
{ hdr_ip(x) ::/0 }
{ hdr_ip(x) ::/96 }
{ hdr_ip(x) -m int 16909060 }
{ hdr_ip(x) -m str 1.2.3.4 }
{ req.hdr_cnt(x) 1 }
{ req.hdr_cnt(x) gt 1 }
{ req.hdr_cnt(x) -m str 2 }
{ req.hdr_cnt(x) -m ip 0.0.0.1 }
{ src 127.0.0.1 }
{ src ::ffff:127.0.0.1 }
{ src ::127.0.0.1 }
{ src -m str 127.0.0.1 }
{ src -m found }
{ src -m len 9 }
{ src -m int 2130706433 }
{ method GET }
{ method -i get }
{ method -m beg G }
{ method -m len 3 }
{ path -m found }
{ query -m found }
{ url_param(a) -m found }
{ url_param(a) b }
{ url_param(m) 2 }
{ cook(c) -m found }
{ cook(c) 1 }
{ cook(a) 2 }
{ cook(e) -m len 0 }
{ always_true }
{ always_false }
!{ always_false }
!{ req.hdr(zz) -m found }
!{ req.hdr(zz) a }
{ always_true -m int 1 }
{ always_true -m str 1 }
{ var(txn.seven) -m int 7 8 9 }
{ var(txn.unset) -m found }
{ var(txn.from) -m ip 127.0.0.0/8 }
{ var(txn.word) -m beg /x }
{ req.hdr(x),length 3 }
{ req.hdr(x),field(9,a) -m found }
{ req.hdr(x),word(9,a) -m found }
{ req.hdr(x),url_dec -m found }
{ req.hdr(x) -m reg ^a }
{ req.hdr(x) -m reg -i ^A b$ }
{ hdr_reg(x) [0-9]{2,} }
{ hdr_reg(x,1) -i ^(a|b) }
{ req.fhdr(x) -m reg , }
{ path_reg ^/.$ }
{ url_reg -- (?i)^HTTP:// }
{ cook_reg(c) ^.$ }
{ urlp_reg(a) ^b }
{ src -m reg ^127 }
{ req.hdr(x),length -m reg ^.$ }
{ method -m reg ^(GET|get)$ }
{ req.ver 1.1 }
{ req_ver 1.0 }
{ req.proto_http }
{ req.len gt 40 }
{ str(abc) abc }
{ int(5) 5 }
{ bool(0) }
HTTP
HTTP_1.1
HTTP_URL_ABS
REQ_CONTENT
WAIT_END
{ path_beg /a }
{ path_end /b }
{ hdr_beg(x) -i A }
{ req.fhdr(x) a }
{ req.hdr(x) -m found } { req.hdr(y) -m found } or { method HEAD }
{ req.hdr(x) -m found } !{ req.hdr(y) -m found }
""".strip().split("\n")

LINES = ["GET /", "GET /a/b", "GET /a?a=b&A=c;a=d", "POST /x?", "GET /x?a", "GET /x?a=%41+b", "GET http://h/p/q?z", "GET /%41?x", "get /",
         "HEAD /", "GET /?e=&n&m=1&m=2&z", "GET /?n=&=e&ne=1&e", "GET /??m=3", "GET /?e==1&m=2", "FOO /"]
VALUES = ["a", "a, b", "a/b/c", "/a//b/c/", "5", "-7", "12abc", "192.0.2.1", "2001:db8::1", "::ffff:192.0.2.1", "2002:c000:201::1",
          "::192.0.2.1", "[2001:db8::1]:80", "192.0.2.1:80", '"a,b", c', "", "a,,b", ",", "%41%4+b?c+d%zz", "%41", "%4", "%",
          "A.b.c:80", "foo, 192.0.2.1, bar", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "a b", "true",
          "0x10", "+5", "1.2.3.4.5", 'b\\"a, c', "10.1", "4294967296", "xaybzaw", "abxabyab", "1.2.3.4", "1.2.3.4:x", "1.2.3", "1.2.3.4.", "001.2.3.04", "1.2.3.4:", "1.2.3.4a", "1.2.3.400", "::1:x",
          "1.2.3.4, 5.6.7.8", "b.a.b.c", "/a/b", "a/", "q?a?", "-", "- 5", "010", '"a, b', "'a, b'", 'a"b,c"d, e', '"a\\",b", c', "a+b?c+d"]
COOKIES = ["c=1; c=2; d=x", 'd="q;r"; c=3', 'a=1; b="2"; e=; s = 5', "a=1;a=2,a=3", " a=1 ;  b = 2 ;e", '$Version=1; a="x;y"; A=4']


def request(line, *fields):
    return (line + " HTTP/1.1\r\nHost: h\r\n" + "".join(field + "\r\n" for field in fields) + "\r\n").encode("latin-1")


REQUESTS = ([request(line) for line in LINES] + [request("GET /", "x: " + value) for value in VALUES] +
            [request("GET /", "cookie: " + cookie) for cookie in COOKIES] +
            [request("GET /a/b", "x: a", "y: b", "seven: 1"), request("GET /", "x: a, b", "x: c"),
             request("GET /", *(f"x: {number}" for number in range(1, 12))),
             request("GET /", "cookie: c=1", "cookie: c=2")])


def is_listed(name, ours, theirs, sent):
    """Of man/guide/differences.md: sums of two negative numbers, and numbers of fields beyond 32 bits or next to
    a byte below the digits, which haproxy 2.6 takes for one."""
    if "hdr_val(" in name and ours[1:-1].lstrip("-").isdigit():
        return not -2**31 <= int(ours[1:-1]) < 2**31 or re.search(rb"x: [^\r]*[!-/]", sent) is not None
    return (",add(" in name or ",sub(" in name) and theirs == "<9223372036854775807>" and ours.startswith("<-")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--haproxy", default="haproxy")
    parser.add_argument("--hawser", default="build/release/hawser")
    options = parser.parse_args()
    theirs = harness.results(options.haproxy, EXPRESSIONS, CONDITIONS, REQUESTS)
    ours = harness.results(options.hawser, EXPRESSIONS, CONDITIONS, REQUESTS)
    differences = 0
    compared = 0
    for sent, left, right in zip(REQUESTS, theirs, ours):
        for name in sorted(left.keys() | right.keys()):
            compared += 1
            if left.get(name) == right.get(name) or is_listed(name, right.get(name, ""), left.get(name, ""), sent):
                continue
            differences += 1
            print(f"{name}\n    haproxy {left.get(name)}\n    hawser  {right.get(name)}\n    for {sent!r}")
    print(f"{compared} values compared, {differences} differ")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
