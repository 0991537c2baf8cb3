package dnsresolve

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// systemServers returns the servers of the network adapters.
func systemServers() (hosts []string, port string, err error) {
	all, err := adapters()
	if err != nil {
		return nil, "", fmt.Errorf("the network adapters cannot be read: %w", err)
	}
	return adapterServers(all)
}

// adapters reads the network adapters. The first size is the one that the
// documentation of GetAdaptersAddresses recommends.
func adapters() ([]adapter, error) {
	const flags = windows.GAA_FLAG_INCLUDE_GATEWAYS | windows.GAA_FLAG_SKIP_UNICAST |
		windows.GAA_FLAG_SKIP_ANYCAST | windows.GAA_FLAG_SKIP_MULTICAST
	size := uint32(15_000)
	for {
		room := make([]uint64, size/8+1) // aligned as the structures are
		first := (*windows.IpAdapterAddresses)(unsafe.Pointer(&room[0]))
		before := size
		err := windows.GetAdaptersAddresses(syscall.AF_UNSPEC, flags, 0, first, &size)
		switch {
		case errors.Is(err, windows.ERROR_NO_DATA):
			return nil, nil
		case errors.Is(err, windows.ERROR_BUFFER_OVERFLOW) && size > before:
			continue
		case err != nil:
			return nil, err
		}
		var all []adapter
		for at := first; at != nil; at = at.Next {
			all = append(all, newAdapter(at))
		}
		return all, nil
	}
}

func newAdapter(at *windows.IpAdapterAddresses) adapter {
	a := adapter{
		up:      at.OperStatus == windows.IfOperStatusUp && at.IfType != windows.IF_TYPE_SOFTWARE_LOOPBACK,
		gateway: at.FirstGatewayAddress != nil,
		metric:  min(at.Ipv4Metric, at.Ipv6Metric),
	}
	for server := at.FirstDnsServerAddress; server != nil; server = server.Next {
		known, err := server.Address.Sockaddr.Sockaddr()
		if err != nil {
			continue
		}
		switch address := known.(type) {
		case *syscall.SockaddrInet4:
			a.servers = append(a.servers, netip.AddrFrom4(address.Addr))
		case *syscall.SockaddrInet6:
			ip := netip.AddrFrom16(address.Addr)
			if address.ZoneId != 0 {
				ip = ip.WithZone(strconv.FormatUint(uint64(address.ZoneId), 10))
			}
			a.servers = append(a.servers, ip)
		}
	}
	return a
}
