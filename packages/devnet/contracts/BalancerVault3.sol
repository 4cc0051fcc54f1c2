// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

interface IRated {
    function getRate() external view returns (uint256);
}

/// The share of a pool; its address is the pool's. The vault keeps what everybody holds of it.
contract BalancerShare3 {
    string public constant name = "Balancer Pool";
    string public constant symbol = "BPT";
    uint8 public constant decimals = 18;
    BalancerVault3 private immutable vault = BalancerVault3(msg.sender);

    event Transfer(address indexed from, address indexed to, uint256 value);

    function totalSupply() external view returns (uint256) {
        return vault.totalSupply(address(this));
    }

    function balanceOf(address account) external view returns (uint256) {
        return vault.balanceOf(address(this), account);
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        return vault.transfer(msg.sender, to, amount);
    }

    function emitTransfer(address from, address to, uint256 amount) external {
        require(msg.sender == address(vault));
        emit Transfer(from, to, amount);
    }
}

/**
 * Balancer's third vault as far as shares go, by `Vault.sol`, `VaultExtension.sol`, `PoolDataLib.sol`, `BasePoolMath.sol` and
 * `ScalingHelpers.sol`. Balances have 18 decimals and the rates of their tokens in them. An exit in proportion pays a part of
 * them, rounded down twice, after the fee on what rates have grown by. In recovery mode it pays a part of the balances as
 * they are, whatever the rates. It is the factory of some pools, too.
 */
contract BalancerVault3 {
    using SafeERC20 for IERC20;

    struct TokenInfo {
        uint8 tokenType;
        IRated rateProvider;
        bool paysYieldFees;
    }

    struct PoolData {
        bytes32 poolConfigBits;
        IERC20[] tokens;
        TokenInfo[] tokenInfo;
        uint256[] balancesRaw;
        uint256[] balancesLiveScaled18;
        uint256[] tokenRates;
        uint256[] decimalScalingFactors;
    }

    struct Pool {
        IERC20[] tokens;
        TokenInfo[] infos;
        uint256[] balances;
        uint256[] lastLive;
        bool isRecovering;
        uint256 supply;
        mapping(address => uint256) held;
    }

    /// Part of the growth of rates that is not the pool's.
    uint256 private constant YIELD_FEE = 1e17;

    mapping(address => Pool) private pools;
    mapping(address => bool) public isPoolFromFactory;

    event PoolRegistered(address indexed pool);

    /// A token without a provider has the rate of one; others pay fees on what their rate grows by.
    function create(IERC20[] calldata tokens, IRated[] calldata providers, bool isMade) external returns (address pool) {
        pool = address(new BalancerShare3());
        isPoolFromFactory[pool] = isMade;
        Pool storage own = pools[pool];
        for (uint256 i = 0; i < tokens.length; i++) {
            bool hasRate = address(providers[i]) != address(0);
            enter(own, tokens[i], TokenInfo(hasRate ? 1 : 0, providers[i], hasRate));
        }
        emit PoolRegistered(pool);
    }

    /// Anyone may register a pool of their own code, which calls this.
    function registerPool(IERC20 token) external {
        enter(pools[msg.sender], token, TokenInfo(0, IRated(address(0)), false));
    }

    function enter(Pool storage own, IERC20 token, TokenInfo memory info) private {
        own.tokens.push(token);
        own.infos.push(info);
        own.balances.push(0);
        own.lastLive.push(0);
    }

    function balanceOf(address pool, address account) external view returns (uint256) {
        return pools[pool].held[account];
    }

    /// By the pool, for the owner.
    function transfer(address from, address to, uint256 amount) external returns (bool) {
        pools[msg.sender].held[from] -= amount;
        pools[msg.sender].held[to] += amount;
        BalancerShare3(msg.sender).emitTransfer(from, to, amount);
        return true;
    }

    function mint(address pool, uint256 amount) private {
        pools[pool].supply += amount;
        pools[pool].held[msg.sender] += amount;
        BalancerShare3(pool).emitTransfer(address(0), msg.sender, amount);
    }

    function burn(address pool, uint256 amount) private {
        pools[pool].supply -= amount;
        pools[pool].held[msg.sender] -= amount;
        BalancerShare3(pool).emitTransfer(msg.sender, address(0), amount);
    }

    function isPoolRegistered(address pool) public view returns (bool) {
        return pools[pool].tokens.length > 0;
    }

    function isPoolInRecoveryMode(address pool) external view registered(pool) returns (bool) {
        return pools[pool].isRecovering;
    }

    function totalSupply(address pool) external view returns (uint256) {
        return pools[pool].supply;
    }

    function getPoolTokens(address pool) external view registered(pool) returns (IERC20[] memory) {
        return pools[pool].tokens;
    }

    function getPoolTokenInfo(address pool)
        external
        view
        registered(pool)
        returns (IERC20[] memory, TokenInfo[] memory, uint256[] memory, uint256[] memory)
    {
        Pool storage own = pools[pool];
        return (own.tokens, own.infos, own.balances, own.lastLive);
    }

    function getPoolData(address pool) public view registered(pool) returns (PoolData memory data) {
        Pool storage own = pools[pool];
        uint256 count = own.tokens.length;
        data.tokens = own.tokens;
        data.tokenInfo = own.infos;
        data.balancesRaw = own.balances;
        data.balancesLiveScaled18 = new uint256[](count);
        data.tokenRates = new uint256[](count);
        data.decimalScalingFactors = new uint256[](count);
        for (uint256 i = 0; i < count; i++) {
            data.decimalScalingFactors[i] = 10 ** (18 - IERC20Metadata(address(own.tokens[i])).decimals());
            data.tokenRates[i] = own.infos[i].tokenType == 1 ? own.infos[i].rateProvider.getRate() : 1e18;
            uint256 live = liveOf(data, i);
            if (own.infos[i].paysYieldFees && !own.isRecovering && live > own.lastLive[i]) {
                uint256 fee = ((live - own.lastLive[i]) * YIELD_FEE + 1e18 - 1) / 1e18;
                data.balancesRaw[i] -= rawOf(data, i, fee);
                live = liveOf(data, i);
            }
            data.balancesLiveScaled18[i] = live;
        }
    }

    function setRecovering(address pool, bool isRecovering) external {
        pools[pool].isRecovering = isRecovering;
    }

    /// Stands for every kind of join and for the fees of swaps: `shares` may be nothing.
    function add(address pool, uint256[] calldata amounts, uint256 shares) external registered(pool) {
        PoolData memory data = getPoolData(pool);
        for (uint256 i = 0; i < amounts.length; i++) {
            data.balancesRaw[i] += amounts[i];
            data.tokens[i].safeTransferFrom(msg.sender, address(this), amounts[i]);
        }
        settle(pool, data);
        mint(pool, shares);
    }

    function removeProportional(address pool, uint256 shares) external returns (uint256[] memory amounts) {
        PoolData memory data = getPoolData(pool);
        uint256 supply = pools[pool].supply;
        burn(pool, shares);
        amounts = new uint256[](data.tokens.length);
        for (uint256 i = 0; i < amounts.length; i++) {
            amounts[i] = rawOf(data, i, (data.balancesLiveScaled18[i] * shares) / supply);
            data.balancesRaw[i] -= amounts[i];
        }
        settle(pool, data);
        pay(data.tokens, amounts);
    }

    function removeLiquidityRecovery(address pool, uint256 shares) external returns (uint256[] memory amounts) {
        Pool storage own = pools[pool];
        require(own.isRecovering, "PoolNotInRecoveryMode");
        uint256 supply = pools[pool].supply;
        burn(pool, shares);
        amounts = new uint256[](own.tokens.length);
        for (uint256 i = 0; i < amounts.length; i++) {
            amounts[i] = (own.balances[i] * shares) / supply;
            own.balances[i] -= amounts[i];
        }
        pay(own.tokens, amounts);
    }

    function pay(IERC20[] memory tokens, uint256[] memory amounts) private {
        for (uint256 i = 0; i < tokens.length; i++) tokens[i].safeTransfer(msg.sender, amounts[i]);
    }

    function settle(address pool, PoolData memory data) private {
        for (uint256 i = 0; i < data.tokens.length; i++) {
            pools[pool].balances[i] = data.balancesRaw[i];
            pools[pool].lastLive[i] = liveOf(data, i);
        }
    }

    function liveOf(PoolData memory data, uint256 i) private pure returns (uint256) {
        return (data.balancesRaw[i] * data.decimalScalingFactors[i] * data.tokenRates[i]) / 1e18;
    }

    function rawOf(PoolData memory data, uint256 i, uint256 live) private pure returns (uint256) {
        return (live * 1e18) / (data.decimalScalingFactors[i] * data.tokenRates[i]);
    }

    modifier registered(address pool) {
        require(isPoolRegistered(pool), "PoolNotRegistered");
        _;
    }
}
