// nginx, serving one file.

import Foundation
import Glibc

final class Nginx {
    let port = UInt16.random(in: 30_000...39_999)
    private let process = Process()

    init(in folder: URL, serving size: Int) throws {
        let place = folder.appending(path: "nginx")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        try Data(repeating: UInt8(ascii: "x"), count: size).write(to: place.appending(path: "view.json"))
        let settings = """
            worker_processes 1; daemon off; master_process off; pid \(place.path)/pid; error_log /dev/null;
            events { worker_connections 64; }
            http {
              access_log off; sendfile on; tcp_nodelay on; keepalive_requests 10000000;
              client_body_temp_path \(place.path)/b; proxy_temp_path \(place.path)/p; fastcgi_temp_path \(place.path)/f;
              uwsgi_temp_path \(place.path)/u; scgi_temp_path \(place.path)/s;
              server { listen 127.0.0.1:\(port); root \(place.path); }
            }
            """
        try settings.write(to: place.appending(path: "nginx.conf"), atomically: true, encoding: .utf8)
        process.executableURL = URL(fileURLWithPath: "/usr/sbin/nginx")
        process.arguments = ["-c", place.path + "/nginx.conf", "-p", place.path]
        process.standardError = FileHandle.nullDevice
        try process.run()
        for _ in 0..<2_000 {
            if let descriptor = try? StreamReaders.connected(port) {
                close(descriptor)
                return
            }
            usleep(1_000)
        }
        throw BenchmarkError("nginx does not answer; make bench installs nginx-light")
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }
}
