// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// Share of a pool of the first generations, which its pool mints and burns.
contract CurveShare is ERC20 {
    address public immutable minter;

    constructor(string memory name, string memory symbol) ERC20(name, symbol) {
        minter = msg.sender;
    }

    modifier onlyMinter() {
        require(msg.sender == minter);
        _;
    }

    function mint(address to, uint256 amount) external onlyMinter {
        _mint(to, amount);
    }

    function burnFrom(address from, uint256 amount) external onlyMinter {
        _burn(from, amount);
    }
}

/**
 * A pool of Curve as far as shares go: what its generations say of coins and balances, and what a withdrawal in proportion
 * pays. Its trades follow x·y = k, where Curve has curves of its own: only balances matter here.
 */
contract CurvePool {
    using SafeERC20 for IERC20;

    struct Kind {
        /// Pools with a `gamma` burn one unit less than they are given.
        bool isCrypto;
        /// The oldest pools take int128.
        bool isOld;
        /// Balances are what lies in the pool less what is owed to the administrator.
        bool isRebasing;
    }

    address private constant COIN = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;
    uint256 private constant FEE = 4_000_000;
    uint256 private constant ADMIN_FEE = 5_000_000_000;
    uint256 private constant FEE_UNIT = 10 ** 10;

    CurveShare public immutable token;
    address[] private all;
    mapping(uint256 => uint256) private stored;
    mapping(uint256 => uint256) public adminBalances;
    Kind private kind;

    constructor(address[] memory coins_, Kind memory kind_, string memory name) payable {
        all = coins_;
        kind = kind_;
        token = new CurveShare(name, name);
    }

    receive() external payable {}

    function coins(uint256 i) external view returns (address) {
        require(!kind.isOld);
        return all[i];
    }

    function coins(int128 i) external view returns (address) {
        require(kind.isOld);
        return all[uint128(i)];
    }

    function balances(uint256 i) external view returns (uint256) {
        require(!kind.isOld);
        return balanceAt(i);
    }

    function balances(int128 i) external view returns (uint256) {
        require(kind.isOld);
        return balanceAt(uint128(i));
    }

    function gamma() external view returns (uint256) {
        require(kind.isCrypto);
        return 1;
    }

    /// Never to be used for value: a donation or a trade moves it.
    function get_virtual_price() external pure returns (uint256) {
        return 7 * 10 ** 18;
    }

    function balanceAt(uint256 i) private view returns (uint256) {
        require(i < all.length);
        return kind.isRebasing ? held(i) - adminBalances[i] : stored[i];
    }

    function held(uint256 i) private view returns (uint256) {
        return all[i] == COIN ? address(this).balance : IERC20(all[i]).balanceOf(address(this));
    }

    /// Shares in the proportion of the first coin; the first ones as many as given, in 18 decimals.
    function add_liquidity(uint256[] calldata amounts, uint256 first) external payable returns (uint256 minted) {
        uint256 supply = token.totalSupply();
        minted = supply == 0 ? first : (supply * amounts[0]) / balanceAt(0);
        for (uint256 i = 0; i < all.length; i++) {
            if (all[i] == COIN) require(msg.value == amounts[i]);
            else if (amounts[i] > 0) IERC20(all[i]).safeTransferFrom(msg.sender, address(this), amounts[i]);
            stored[i] += amounts[i];
        }
        token.mint(msg.sender, minted);
    }

    function remove_liquidity(uint256 burn, uint256[] calldata) external returns (uint256[] memory paid) {
        uint256 supply = token.totalSupply();
        paid = new uint256[](all.length);
        uint256 counted = kind.isCrypto && burn < supply ? burn - 1 : burn;
        token.burnFrom(msg.sender, burn);
        for (uint256 i = 0; i < all.length; i++) {
            paid[i] = (balanceAt(i) * counted) / supply;
            stored[i] -= kind.isRebasing ? (stored[i] < paid[i] ? stored[i] : paid[i]) : paid[i];
            pay(i, paid[i]);
        }
    }

    /// Half of the fee is the administrator's.
    function exchange(uint256 i, uint256 j, uint256 amount) external returns (uint256 paid) {
        uint256 gross = (balanceAt(j) * amount) / (balanceAt(i) + amount);
        uint256 fee = (gross * FEE) / FEE_UNIT;
        uint256 taken = (fee * ADMIN_FEE) / FEE_UNIT;
        paid = gross - fee;
        IERC20(all[i]).safeTransferFrom(msg.sender, address(this), amount);
        stored[i] += amount;
        stored[j] -= paid + taken;
        adminBalances[j] += taken;
        pay(j, paid);
    }

    function pay(uint256 i, uint256 amount) private {
        if (all[i] != COIN) IERC20(all[i]).safeTransfer(msg.sender, amount);
        else {
            (bool ok,) = msg.sender.call{value: amount}("");
            require(ok);
        }
    }
}
