// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/asn1"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"reflect"
	"strings"
	"syscall"
	"time"
)

// What an interface does not say.
const untold, untoldByte = 0xffff, 0xff

var versions = map[string]uint16{"1.2": tls.VersionTLS12, "1.3": tls.VersionTLS13}
var groups = map[string]tls.CurveID{"p-256": tls.CurveP256, "x25519": tls.X25519}

// What kinds of certificates are signed with, and the suite of TLS 1.2 that goes with them.
var schemes = map[string]map[string]tls.SignatureScheme{
	"p-256":    {"1.2": tls.ECDSAWithP256AndSHA256, "1.3": tls.ECDSAWithP256AndSHA256},
	"ed25519":  {"1.2": tls.Ed25519, "1.3": tls.Ed25519},
	"rsa-2048": {"1.2": tls.PKCS1WithSHA256, "1.3": tls.PSSWithSHA256},
}
var suites = map[string]uint16{
	"p-256":    tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
	"ed25519":  tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
	"rsa-2048": tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
}

type peer struct {
	conn   net.Conn
	limit  time.Duration
	client bool
	scheme tls.SignatureScheme
	config *tls.Config
}

// The connection is there once it is needed: a peer that is only asked who it is has none.
func newPeer(given string) *peer {
	var fd, ms int
	p := &peer{}
	if n, err := fmt.Sscanf(given, "%d,%d", &fd, &ms); n != 2 || err != nil {
		return p
	}
	p.limit = time.Duration(ms) * time.Millisecond
	file := os.NewFile(uintptr(fd), "peer")
	if conn, err := net.FileConn(file); err == nil {
		p.conn = conn
	}
	file.Close()
	return p
}

func bytesOf(fields map[string]string, name string) ([]byte, error) {
	text, there := fields[name]
	if !there {
		return nil, nil
	}
	if !strings.HasPrefix(text, "hex:") {
		return nil, refusal{"bad-request", "not hex:...: " + name}
	}
	return hex.DecodeString(text[4:])
}

func parameters(text string) map[string]string {
	found := map[string]string{}
	for _, part := range strings.Split(text, ",") {
		if at := strings.IndexByte(part, '='); at > 0 {
			found[part[:at]] = part[at+1:]
		}
	}
	return found
}

// One certificate after another.
func cut(der []byte) ([][]byte, error) {
	var found [][]byte
	for len(der) > 0 {
		var one asn1.RawValue
		rest, err := asn1.Unmarshal(der, &one)
		if err != nil {
			return nil, err
		}
		found, der = append(found, one.FullBytes), rest
	}
	return found, nil
}

func (p *peer) prepare(fields map[string]string) error {
	asked := parameters(fields["params"])
	inputs := map[string][]byte{}
	for _, name := range []string{"leaf", "intermediates", "root", "key", "host", "time"} {
		data, err := bytesOf(fields, name)
		if err != nil {
			return err
		}
		inputs[name] = data
	}
	version, known := versions[asked["version"]]
	group, knownGroup := groups[asked["group"]]
	byVersion, knownCert := schemes[asked["cert"]]
	for name := range asked {
		switch name {
		case "version", "group", "cert", "mode":
		default:
			return refusal{"unavailable", "this peer does not know the parameter " + name}
		}
	}
	if !known || !knownGroup || !knownCert || asked["mode"] != "full" {
		return refusal{"unavailable", "this peer has not these parameters"}
	}
	p.scheme, p.client = byVersion[asked["version"]], fields["op"] == "tls/handshake-client"
	var moment int64
	for _, one := range inputs["time"] {
		moment = moment<<8 | int64(one)
	}
	p.config = &tls.Config{
		MinVersion:             version,
		MaxVersion:             version,
		CurvePreferences:       []tls.CurveID{group},
		SessionTicketsDisabled: true,
		Time:                   func() time.Time { return time.Unix(moment, 0) },
	}
	if version == tls.VersionTLS12 {
		// TLS 1.2 has one list for the key exchange and the curve of a certificate. The suites of 1.3 cannot be chosen.
		p.config.CipherSuites = []uint16{suites[asked["cert"]]}
		if asked["cert"] == "p-256" && group != tls.CurveP256 {
			p.config.CurvePreferences = append(p.config.CurvePreferences, tls.CurveP256)
		}
	}
	if p.client {
		return p.trust(inputs)
	}
	return p.identify(inputs)
}

func (p *peer) trust(inputs map[string][]byte) error {
	root, err := x509.ParseCertificate(inputs["root"])
	if err != nil {
		return err
	}
	p.config.RootCAs = x509.NewCertPool()
	p.config.RootCAs.AddCert(root)
	p.config.ServerName = string(inputs["host"])
	return nil
}

func (p *peer) identify(inputs map[string][]byte) error {
	key, err := x509.ParsePKCS8PrivateKey(inputs["key"])
	if err != nil {
		return err
	}
	path, err := cut(inputs["intermediates"])
	if err != nil {
		return err
	}
	p.config.Certificates = []tls.Certificate{{
		Certificate:                  append([][]byte{inputs["leaf"]}, path...),
		PrivateKey:                   key,
		SupportedSignatureAlgorithms: []tls.SignatureScheme{p.scheme},
	}}
	return nil
}

func (p *peer) compute() reply {
	if p.config == nil || p.conn == nil {
		return failed("there is no connection, or it has served")
	}
	raw := p.conn
	p.conn = nil
	_ = raw.SetDeadline(time.Now().Add(p.limit))
	var conn *tls.Conn
	if p.client {
		conn = tls.Client(raw, p.config)
	} else {
		conn = tls.Server(raw, p.config)
	}
	data, err := p.talk(conn)
	if half, able := raw.(interface{ CloseWrite() error }); able {
		_ = half.CloseWrite() // nothing more will be said
	}
	if err == nil {
		return reply{"result": "ok", "out": hex.EncodeToString(append(append(p.told(conn.ConnectionState()), wire()...), data))}
	}
	if p.client && refuses(err) {
		return reply{"result": "rejected"}
	}
	return failed(p.why(err))
}

// What each side says to the other once they trust each other.
var greetings = map[bool][]byte{true: []byte("hello from here\x00"), false: []byte("and from here..\x00")}

// Shakes hands; both speak first then, and listen. A peer that cannot speak ends: there was no data.
func (p *peer) talk(conn *tls.Conn) (byte, error) {
	if err := conn.Handshake(); err != nil {
		return 0, err
	}
	if _, err := conn.Write(greetings[p.client]); err != nil {
		return 0, err
	}
	came := make([]byte, len(greetings[!p.client]))
	n, err := io.ReadFull(conn, came)
	if n == 0 && (err == io.EOF || err == io.ErrUnexpectedEOF) {
		return 0, nil
	}
	if err == nil && !bytes.Equal(came, greetings[!p.client]) {
		err = errors.New("other data came than were sent")
	}
	return 1, err
}

func failed(why string) reply {
	return reply{"result": "error", "detail": why}
}

func (p *peer) why(err error) string {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Sprintf("time-out: the peer said nothing for %d ms", p.limit/time.Millisecond)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the peer closed the connection"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "the peer reset the connection"
	}
	if p.client {
		return "client, Handshake: " + err.Error()
	}
	return "server, Handshake: " + err.Error()
}

// Whether the client does not accept the certificates.
func refuses(err error) bool {
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	return errors.As(err, &authority) || errors.As(err, &host) || errors.As(err, &invalid)
}

func number(to []byte, value uint16) []byte {
	return append(to, byte(value>>8), byte(value))
}

// The group is told from Go 1.25 on. A server's signature is the only one that its certificate may be used with.
func (p *peer) told(state tls.ConnectionState) []byte {
	group, signature, resumed := uint16(untold), uint16(untold), byte(0)
	if field := reflect.ValueOf(state).FieldByName("CurveID"); field.IsValid() {
		group = uint16(field.Uint())
	}
	if !p.client {
		signature = uint16(p.scheme)
	}
	if state.DidResume {
		resumed = 1
	}
	out := number(number(nil, state.Version), state.CipherSuite)
	return append(number(number(out, group), signature), resumed)
}

// The interface shows nothing of the wire: the other peer looks at it.
func wire() []byte {
	out := number(number(number(number(nil, untold), untold), untold), untold)
	return append(out, untoldByte)
}
