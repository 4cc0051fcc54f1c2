// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

uint256 constant RAY = 1e27;

/// x^n with 27 digits, each product rounded to the nearest, as all contracts of Maker compute it.
function rpow(uint256 x, uint256 n) pure returns (uint256 z) {
    z = n % 2 == 0 ? RAY : x;
    for (n /= 2; n > 0; n /= 2) {
        x = (x * x + RAY / 2) / RAY;
        if (n % 2 == 1) z = (z * x + RAY / 2) / RAY;
    }
}

/// Logs a call without an event's name: the selector, the caller, two arguments, and the first 224 bytes of the call.
abstract contract Noting {
    mapping(address => uint256) public wards;

    modifier auth() {
        require(wards[msg.sender] == 1, "not-authorized");
        _;
    }

    modifier note() {
        _;
        assembly {
            let mark := mload(0x40)
            mstore(0x40, add(mark, 288))
            mstore(mark, 0x20)
            mstore(add(mark, 0x20), 224)
            calldatacopy(add(mark, 0x40), 0, 224)
            log4(mark, 288, shl(224, shr(224, calldataload(0))), caller(), calldataload(4), calldataload(36))
        }
    }

    constructor() {
        wards[msg.sender] = 1;
    }

    function rely(address usr) external auth {
        wards[usr] = 1;
    }
}

/// Collateral and debts by kind (ilk) and address (urn), as Maker's Vat keeps them. Its notes name three arguments, no caller.
contract MakerVat is Noting {
    struct Ilk {
        uint256 Art;
        uint256 rate;
        uint256 spot;
        uint256 line;
        uint256 dust;
    }
    struct Urn {
        uint256 ink;
        uint256 art;
    }

    mapping(address => mapping(address => uint256)) public can;
    mapping(bytes32 => Ilk) public ilks;
    mapping(bytes32 => mapping(address => Urn)) public urns;
    mapping(bytes32 => mapping(address => uint256)) public gem;
    mapping(address => uint256) public dai;
    mapping(address => uint256) public sin;

    modifier noteArguments() {
        _;
        assembly {
            let mark := mload(0x40)
            mstore(0x40, add(mark, 288))
            mstore(mark, 0x20)
            mstore(add(mark, 0x20), 224)
            calldatacopy(add(mark, 0x40), 0, 224)
            log4(mark, 288, shl(224, shr(224, calldataload(0))), calldataload(4), calldataload(36), calldataload(68))
        }
    }

    function init(bytes32 ilk) external auth noteArguments {
        ilks[ilk].rate = RAY;
    }

    function file(bytes32 ilk, bytes32 what, uint256 data) external auth noteArguments {
        if (what == "spot") ilks[ilk].spot = data;
        else if (what == "line") ilks[ilk].line = data;
        else ilks[ilk].dust = data;
    }

    function hope(address usr) external noteArguments {
        can[msg.sender][usr] = 1;
    }

    function slip(bytes32 ilk, address usr, int256 wad) external auth noteArguments {
        gem[ilk][usr] = _plus(gem[ilk][usr], wad);
    }

    function flux(bytes32 ilk, address src, address dst, uint256 wad) external noteArguments {
        require(_wish(src, msg.sender), "Vat/not-allowed");
        gem[ilk][src] -= wad;
        gem[ilk][dst] += wad;
    }

    function move(address src, address dst, uint256 rad) external noteArguments {
        require(_wish(src, msg.sender), "Vat/not-allowed");
        dai[src] -= rad;
        dai[dst] += rad;
    }

    function frob(bytes32 i, address u, address v, address w, int256 dink, int256 dart) external noteArguments {
        Urn storage urn = urns[i][u];
        Ilk storage ilk = ilks[i];
        require(ilk.rate != 0, "Vat/ilk-not-init");
        (urn.ink, urn.art, ilk.Art) = (_plus(urn.ink, dink), _plus(urn.art, dart), _plus(ilk.Art, dart));
        uint256 tab = ilk.rate * urn.art;
        require(dart <= 0 || ilk.Art * ilk.rate <= ilk.line, "Vat/ceiling-exceeded");
        require((dart <= 0 && dink >= 0) || tab <= urn.ink * ilk.spot, "Vat/not-safe");
        require((dart <= 0 && dink >= 0) || _wish(u, msg.sender), "Vat/not-allowed-u");
        require(dink <= 0 || _wish(v, msg.sender), "Vat/not-allowed-v");
        require(dart >= 0 || _wish(w, msg.sender), "Vat/not-allowed-w");
        require(urn.art == 0 || tab >= ilk.dust, "Vat/dust");
        gem[i][v] = _plus(gem[i][v], -dink);
        dai[w] = _plus(dai[w], int256(ilk.rate) * dart);
    }

    function fork(bytes32 i, address src, address dst, int256 dink, int256 dart) external noteArguments {
        require(_wish(src, msg.sender) && _wish(dst, msg.sender), "Vat/not-allowed");
        Urn storage u = urns[i][src];
        Urn storage v = urns[i][dst];
        (u.ink, u.art) = (_plus(u.ink, -dink), _plus(u.art, -dart));
        (v.ink, v.art) = (_plus(v.ink, dink), _plus(v.art, dart));
    }

    function grab(bytes32 i, address u, address v, address w, int256 dink, int256 dart) external auth noteArguments {
        Urn storage urn = urns[i][u];
        Ilk storage ilk = ilks[i];
        (urn.ink, urn.art, ilk.Art) = (_plus(urn.ink, dink), _plus(urn.art, dart), _plus(ilk.Art, dart));
        gem[i][v] = _plus(gem[i][v], -dink);
        sin[w] = _plus(sin[w], -(int256(ilk.rate) * dart));
    }

    function suck(address u, address v, uint256 rad) external auth noteArguments {
        sin[u] += rad;
        dai[v] += rad;
    }

    function fold(bytes32 i, address u, int256 rate) external auth noteArguments {
        ilks[i].rate = _plus(ilks[i].rate, rate);
        dai[u] = _plus(dai[u], int256(ilks[i].Art) * rate);
    }

    function _wish(address bit, address usr) private view returns (bool) {
        return bit == usr || can[bit][usr] == 1;
    }

    function _plus(uint256 x, int256 y) private pure returns (uint256) {
        return y < 0 ? x - uint256(-y) : x + uint256(y);
    }
}
