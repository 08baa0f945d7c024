// SEND beside Redis' SET, both over TCP with TLS, with the same certificate and the same load in the same run.

import Foundation
import Glibc

private let sessions = 100_000

func benchmarkTLS(_ report: Report) throws {
    report.section("TLS: SEND … pass over 100,000 random sessions, names: UUIDs (redis-benchmark --tls, 50 connections)")
    let folder = BenchmarkFolder()
    let certificate = try BenchmarkCertificate(in: folder.url)
    let (redisPort, port) = (try freePort(), try freePort())
    let redis = try folder.redis(["--appendonly", "no"] + certificate.ofRedis(port: redisPort))
    let gamed = try folder.gamed(["--data", "none", "--listen", "127.0.0.1:\(port)", "--trust-loopback"] + certificate.ofGamed)
    try fill(redis, gamed, sessions, .uuid)
    for (depth, target) in [(64, 1.0), (16, 1.0), (1, 0.95)] {
        let requests = min(2_000_000, depth * 30_000)
        let load = { (peer: Peer, port: Int, command: [String]) in
            try RedisBenchmark(peer: peer, names: sessions, place: certificate.place(port: port))
                .requestsPerSecond(depth: depth, requests: requests, command)
        }
        let set = try load(redis, redisPort, ["SET", NameKind.uuid.anyOne, "second"])
        let send = try load(gamed, port, ["SEND", NameKind.uuid.anyOne, "pass"])
        report.add(
            "TLS, depth \(depth)", unit: "1/s", ["gamed": send, "Redis SET": set],
            target: .init(text: "\(target) times SET", reached: send >= target * set))
    }
}

/// The certificate of both servers. The clients do not check it.
private struct BenchmarkCertificate {
    private let file: String
    private let key: String

    init(in folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        (file, key) = (folder.appending(path: "tls.pem").path, folder.appending(path: "tls.key").path)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
            + ["-subj", "/CN=localhost", "-keyout", key, "-out", file]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw BenchmarkError("openssl makes no certificate") }
        chmod(key, 0o600)
    }

    var ofGamed: [String] { ["--tls-cert", file, "--tls-key", key] }

    func ofRedis(port: Int) -> [String] {
        ["--tls-port", "\(port)", "--tls-cert-file", file, "--tls-key-file", key, "--tls-auth-clients", "no"]
    }

    func place(port: Int) -> [String] { ["-h", "127.0.0.1", "-p", "\(port)", "--tls", "--insecure"] }
}
